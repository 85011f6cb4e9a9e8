package sluice.values;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.Decimal;
import sluice.scan.JsonCursor;

/** Numbers. */
public final class NumberReaders {
    private NumberReaders() {}

    private static final BigInteger UINT64 = BigInteger.ONE.shiftLeft(64);

    /** A number that JSON may have as true or false, if the settings say so. */
    abstract static class Numeric extends ValueReader {
        private final boolean flags;

        Numeric(String type, Object missing, boolean flags) {
            super(type, missing);
            this.flags = flags;
        }

        /** 0 or 1. */
        abstract Object of(int flag);

        @Override
        public Object empty() {
            return of(0);
        }

        @Override
        public Object json(JsonCursor in) {
            byte kind = in.next();
            if (kind == JsonCursor.NULL) return none();
            if (kind == JsonCursor.LIST || kind == JsonCursor.OBJECT) throw wrong(in);
            if (emptyIsDefault && in.from == in.to) return missing;
            int flag = flags ? flag(in.text, in.from, in.to) : -1;
            return flag < 0 ? text(in.text, in.from, in.to) : of(flag);
        }
    }

    /** An integer that Spark holds as a byte, short, int or long. */
    static final class IntValue extends Numeric {
        private final int bits;
        private final long low;
        private final long high;

        /** Of so many bits in Spark; the range may be smaller. One byte is always a flag too. */
        IntValue(String type, int bits, long low, long high, boolean flags, boolean nullable) {
            super(type, nullable ? null : boxed(0, bits), flags || high - low == 255);
            this.bits = bits;
            this.low = low;
            this.high = high;
        }

        @Override
        Object of(int flag) {
            return boxed(flag, bits);
        }

        @Override
        public Object json(JsonCursor in) {
            long number = in.whole();
            if (number == JsonCursor.NONE) return super.json(in);
            if (number < low || number > high) throw wrong(in.text, in.from, in.to);
            return boxed(number, bits);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int i = from;
            boolean minus = i < to && b[i] == '-';
            if (minus || i < to && b[i] == '+') i++;
            if (i == to) throw wrong(b, from, to);
            long number = 0; // as a negative number, which has the larger range
            for (int k = i; k < to; k++) {
                int digit = b[k] - '0';
                if (digit < 0 || digit > 9) throw wrong(b, from, to);
                if (number < (Long.MIN_VALUE + digit) / 10) throw wrong(b, from, to);
                number = number * 10 - digit;
            }
            if (!minus) {
                if (number == Long.MIN_VALUE) throw wrong(b, from, to);
                number = -number;
            }
            if (number < low || number > high) throw wrong(b, from, to);
            return boxed(number, bits);
        }
    }

    /** An integer as Spark holds one of so many bits. */
    public static Object boxed(long number, int bits) {
        switch (bits) {
            case 8: return (byte) number;
            case 16: return (short) number;
            case 32: return (int) number;
            default: return number;
        }
    }

    /** NaN or an infinity, where {@link JsonCursor#notFinite} says that a text is one. */
    public static double notFinite(byte[] b, int from) {
        boolean minus = b[from] == '-';
        int first = minus || b[from] == '+' ? from + 1 : from;
        double value = (b[first] | 0x20) == 'n' ? Double.NaN : Double.POSITIVE_INFINITY;
        return minus ? -value : value;
    }

    static int flag(byte[] b, int from, int to) {
        if (to - from == 4 && b[from] == 't' && b[from + 1] == 'r' && b[from + 2] == 'u'
                && b[from + 3] == 'e') return 1;
        if (to - from == 5 && b[from] == 'f' && b[from + 1] == 'a' && b[from + 2] == 'l'
                && b[from + 3] == 's' && b[from + 4] == 'e') return 0;
        return -1;
    }

    /** UInt64, which Spark holds as a DECIMAL(20, 0). */
    static final class Unsigned64 extends Numeric {
        Unsigned64(String type, boolean flags, boolean nullable) {
            super(type, nullable ? null : Decimal.createUnsafe(0, 20, 0), flags);
        }

        @Override
        Object of(int flag) {
            return Decimal.createUnsafe(flag, 20, 0);
        }

        @Override
        public Object json(JsonCursor in) {
            long number = in.whole();
            if (number == JsonCursor.NONE) return super.json(in);
            if (number < 0) throw wrong(in.text, in.from, in.to);
            return Decimal.createUnsafe(number, 20, 0);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int i = from < to && b[from] == '+' ? from + 1 : from;
            if (i == to) throw wrong(b, from, to);
            if (to - i > 18) return large(b, from, i, to);
            long number = 0;
            for (; i < to; i++) {
                int digit = b[i] - '0';
                if (digit < 0 || digit > 9) throw wrong(b, from, to);
                number = number * 10 + digit;
            }
            return Decimal.createUnsafe(number, 20, 0);
        }

        private Object large(byte[] b, int from, int first, int to) {
            int i = first;
            while (i < to - 1 && b[i] == '0') i++;
            if (to - i > 20) throw wrong(b, from, to);
            for (int k = i; k < to; k++) {
                if (b[k] < '0' || b[k] > '9') throw wrong(b, from, to);
            }
            BigInteger number = new BigInteger(ascii(b, i, to));
            if (number.compareTo(UINT64) >= 0) throw wrong(b, from, to);
            return Decimal.apply(new BigDecimal(number), 20, 0);
        }
    }

    private static String ascii(byte[] b, int from, int to) {
        return new String(b, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** A floating point number of 32 or 64 bits. */
    public static class Floating extends Numeric {
        private static final double[] TENS = {
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

        private final boolean small;

        Floating(String type, boolean small, boolean flags, boolean nullable) {
            super(type, nullable ? null : small ? (Object) 0f : (Object) 0d, flags);
            this.small = small;
        }

        @Override
        Object of(int flag) {
            return small ? (Object) (float) flag : (Object) (double) flag;
        }

        @Override
        public Object empty() {
            return text(new byte[0], 0, 0);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            double quick = quick(b, from, to, small);
            if (quick == quick) return small ? (Object) (float) quick : (Object) quick;
            if (JsonCursor.isNumber(b, from, to)) {
                String number = ascii(b, from, to);
                return small ? (Object) Float.parseFloat(number) : (Object) Double.parseDouble(number);
            }
            if (!JsonCursor.notFinite(b, from, to)) throw wrong(b, from, to);
            double value = notFinite(b, from);
            return small ? (Object) (float) value : (Object) value;
        }

        /**
         * A number without an exponent, of so few digits that one division gives it exactly; else NaN.
         * They are 15, and 7 where the result is rounded again, to a small one.
         */
        public static double quick(byte[] b, int from, int to, boolean small) {
            int most = small ? 7 : 15;
            int i = from;
            boolean minus = i < to && b[i] == '-';
            if (minus) i++;
            if (to - i > most + 1) return Double.NaN;
            long digits = 0;
            int count = 0;
            int point = -1;
            for (; i < to; i++) {
                int digit = b[i] - '0';
                if (digit >= 0 && digit <= 9) {
                    digits = digits * 10 + digit;
                    count++;
                } else if (b[i] == '.' && point < 0) {
                    point = count;
                } else {
                    return Double.NaN;
                }
            }
            if (count == 0 || count > most) return Double.NaN;
            double value = point < 0 ? digits : digits / TENS[count - point];
            return minus ? -value : value;
        }
    }

    /** A BFloat16: a Float32 of which the upper half is kept, as ClickHouse does. */
    static final class Upper extends Floating {
        Upper(String type, boolean flags, boolean nullable) {
            super(type, true, flags, nullable);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            return upper((float) super.text(b, from, to));
        }
    }

    /** The BFloat16 of a number: the next one towards zero. */
    public static float upper(float value) {
        return value != value ? value : Float.intBitsToFloat(Float.floatToRawIntBits(value) & 0xFFFF << Short.SIZE);
    }

    /** A decimal; digits after those that are kept are cut off. */
    static final class DecimalValue extends ValueReader {
        private final int precision;
        private final int scale;

        DecimalValue(String type, int precision, int scale, boolean nullable) {
            super(type, nullable ? null : Decimal.apply(BigDecimal.ZERO, precision, scale));
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        public Object empty() {
            return Decimal.apply(BigDecimal.ZERO, precision, scale);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (!JsonCursor.isNumber(b, from, to) || to - from > 200) throw wrong(b, from, to);
            BigDecimal number;
            try {
                number = new BigDecimal(ascii(b, from, to));
            } catch (NumberFormatException exponent) {
                throw wrong(b, from, to);
            }
            // Before anything is computed with it: an exponent may ask for a billion digits.
            if (number.signum() == 0 || number.precision() - (long) number.scale() < -scale) {
                return Decimal.apply(BigDecimal.ZERO, precision, scale);
            }
            if (number.precision() - (long) number.scale() > precision - scale) {
                throw wrong(b, from, to);
            }
            return Decimal.apply(number.setScale(scale, RoundingMode.DOWN), precision, scale);
        }
    }
}
