package sluice.binary;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.NumberReaders;

/** The types whose values are a number of at most 64 bits. */
final class BinaryNumbers {
    private static final long DAY_FIRST = -719_528; // 0000-01-01, as early as a text may be
    private static final long DAY_LAST = 2_932_896; // 9999-12-31
    private static final long MICROS = 1_000_000L;
    private static final long[] TENS = new long[19];

    static {
        TENS[0] = 1;
        for (int i = 1; i < TENS.length; i++) TENS[i] = 10 * TENS[i - 1];
    }

    private BinaryNumbers() {}

    /** An integer that Spark holds in so many bits. */
    static final class IntValue extends BinaryNumber {
        private final int bits;

        IntValue(String type, int bits, boolean signed) {
            super(type, signed ? bits / 8 : bits / 16, signed, NumberReaders.boxed(0, bits));
            this.bits = bits;
        }

        @Override
        Object held(long number, int at) {
            return NumberReaders.boxed(number, bits);
        }

        @Override
        long number(SpecializedGetters row, int at) {
            switch (bits) {
                case 8: return row.getByte(at);
                case 16: return row.getShort(at);
                case 32: return row.getInt(at);
                default: return row.getLong(at);
            }
        }
    }

    /** UInt64, which Spark holds as a DECIMAL(20, 0). */
    static final class Unsigned64 extends BinaryNumber {
        private static final int DIGITS = 20;

        Unsigned64(String type) {
            super(type, 8, false, Decimal.createUnsafe(0, DIGITS, 0));
        }

        @Override
        Object held(long number, int at) {
            if (number >= 0) return Decimal.createUnsafe(number, DIGITS, 0);
            return Decimal.apply(new BigDecimal(Long.toUnsignedString(number)), DIGITS, 0);
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return row.getDecimal(at, DIGITS, 0).toJavaBigDecimal().unscaledValue().longValue();
        }
    }

    /** A floating point number of 32 or 64 bits. */
    static final class Floating extends BinaryNumber {
        private final boolean small;

        Floating(String type, boolean small) {
            super(type, small ? 4 : 8, true, small ? (Object) 0f : (Object) 0d);
            this.small = small;
        }

        @Override
        Object held(long number, int at) {
            return small ? (Object) Float.intBitsToFloat((int) number) : (Object) Double.longBitsToDouble(number);
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return small ? Float.floatToRawIntBits(row.getFloat(at)) : Double.doubleToRawLongBits(row.getDouble(at));
        }
    }

    /** A BFloat16: the upper half of a Float32, which is what Spark holds. */
    static final class Upper extends BinaryNumber {
        Upper(String type) {
            super(type, Short.BYTES, true, 0f);
        }

        @Override
        Object held(long number, int at) {
            return Float.intBitsToFloat((int) number << Short.SIZE);
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return Float.floatToRawIntBits(row.getFloat(at)) >> Short.SIZE;
        }
    }

    /** A decimal of at most 18 digits: the number of its last digit. */
    static final class DecimalValue extends BinaryNumber {
        private static final int SMALL = 9; // digits in four bytes
        private final int precision;
        private final int scale;

        DecimalValue(String type, int precision, int scale) {
            super(type, precision <= SMALL ? 4 : 8, true, Decimal.createUnsafe(0, precision, scale));
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        Object held(long number, int at) {
            if (number >= TENS[precision] || number <= -TENS[precision]) {
                throw outOfRange(BigDecimal.valueOf(number, scale).toPlainString(), at);
            }
            return Decimal.createUnsafe(number, precision, scale);
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return row.getDecimal(at, precision, scale).toUnscaledLong();
        }
    }

    /** True or false. */
    static final class Bool extends BinaryNumber {
        Bool(String type) {
            super(type, 1, false, Boolean.FALSE);
        }

        @Override
        Object held(long number, int at) {
            return number != 0;
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return row.getBoolean(at) ? 1 : 0;
        }
    }

    /** A day: two bytes, or four for a Date32. */
    static final class Day extends BinaryNumber {
        Day(String type, boolean wide) {
            super(type, wide ? 4 : 2, wide, 0);
        }

        @Override
        Object held(long number, int at) {
            if (number < DAY_FIRST || number > DAY_LAST) throw outOfRange(number, at);
            return (int) number;
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return row.getInt(at);
        }
    }

    /** An instant that Spark holds as microseconds: a DateTime of seconds, or a DateTime64 of at most six digits. */
    static final class Instant extends BinaryNumber {
        private final long micros; // of the number's unit
        private final long first;
        private final long last;

        /** Of so many digits after the second, -1 for a DateTime. */
        Instant(String type, int precision) {
            super(type, precision < 0 ? 4 : 8, precision >= 0, 0L);
            micros = TENS[6 - Math.max(precision, 0)];
            first = DAY_FIRST * 86_400 * (MICROS / micros);
            last = (DAY_LAST + 1) * 86_400 * (MICROS / micros) - 1;
        }

        @Override
        Object held(long number, int at) {
            if (number < first || number > last) throw outOfRange(number, at);
            return number * micros;
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return Math.floorDiv(row.getLong(at), micros);
        }
    }

    /** A number that Spark holds as it is: an IPv4, a Time, a DateTime64 of more than six digits. */
    static final class Stored extends BinaryNumber {
        private final long most;

        /** Beyond a number of either sign it is taken for that number. */
        Stored(String type, int width, boolean signed, long most) {
            super(type, width, signed, 0L);
            this.most = most;
        }

        @Override
        Object held(long number, int at) {
            return Math.max(-most, Math.min(most, number));
        }

        @Override
        long number(SpecializedGetters row, int at) {
            return row.getLong(at);
        }
    }

    /** One of a set of names, each with a number. */
    static final class EnumValue extends BinaryNumber {
        private final Map<Integer, UTF8String> names = new HashMap<>();
        private final Map<UTF8String, Integer> numbers = new HashMap<>();

        EnumValue(String type, int bits, Map<String, Integer> values, String first) {
            super(type, bits / 8, true, UTF8String.fromString(first));
            values.forEach((name, number) -> {
                UTF8String text = UTF8String.fromString(name);
                names.put(number, text);
                numbers.put(text, number);
            });
        }

        @Override
        Object held(long number, int at) {
            UTF8String found = names.get((int) number);
            if (found == null) {
                throw new BadValue("Unexpected value " + number + " in enum " + type + " (at byte " + (at - width) + ")");
            }
            return found;
        }

        @Override
        long number(SpecializedGetters row, int at) {
            UTF8String name = row.getUTF8String(at);
            Integer found = numbers.get(name);
            if (found == null) throw new IllegalArgumentException("Unknown element '" + name + "' for enum " + type);
            return found;
        }
    }
}
