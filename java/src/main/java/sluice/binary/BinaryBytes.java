package sluice.binary;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;

/** The types whose values are so many bytes. */
abstract class BinaryBytes extends BinaryValue {
    final int width;

    BinaryBytes(String type, int width, Object zero) {
        super(type, width, zero);
        this.width = width;
    }

    /** What Spark holds for the bytes that begin at a position. */
    abstract Object held(byte[] bytes, int from);

    @Override
    final Object read(BinaryCursor in) {
        int from = in.take(width);
        return held(in.bytes, from);
    }

    /** The bytes from their last to their first. */
    private static byte[] reversed(byte[] bytes, int from, int width) {
        byte[] found = new byte[width];
        for (int i = 0; i < width; i++) found[i] = bytes[from + width - 1 - i];
        return found;
    }

    /** A number of 128 or 256 bits, which Spark holds with the highest byte first and the sign bit inverted. */
    static final class Wide extends BinaryBytes {
        private final boolean signed;

        Wide(String type, int width, boolean signed) {
            super(type, width, null);
            this.signed = signed;
        }

        @Override
        Object held(byte[] bytes, int from) {
            byte[] found = reversed(bytes, from, width);
            if (signed) found[0] ^= (byte) 0x80;
            return found;
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            byte[] stored = row.getBinary(at);
            out.room(width);
            for (int i = width - 1; i >= 0; i--) out.put(stored[i]);
            if (signed) out.bytes[out.size - 1] ^= (byte) 0x80;
        }

        @Override
        Object zero() {
            return held(new byte[width], 0);
        }
    }

    /** Bytes that Spark holds as they are: an IPv6. */
    static final class Same extends BinaryBytes {
        Same(String type, int width) {
            super(type, width, new byte[width]);
        }

        @Override
        Object held(byte[] bytes, int from) {
            return Arrays.copyOfRange(bytes, from, from + width);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            out.put(row.getBinary(at));
        }
    }

    /** A decimal of 19 to 38 digits. */
    static final class DecimalValue extends BinaryBytes {
        private final int precision;
        private final int scale;

        DecimalValue(String type, int precision, int scale) {
            super(type, 16, Decimal.apply(BigDecimal.ZERO, precision, scale));
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        Object held(byte[] bytes, int from) {
            BigDecimal number = new BigDecimal(new BigInteger(reversed(bytes, from, width)), scale);
            if (number.precision() > precision) throw outOfRange(number.toPlainString(), from);
            return Decimal.apply(number, precision, scale);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            BigInteger number = row.getDecimal(at, precision, scale).toJavaBigDecimal().unscaledValue();
            out.putLowLong(number.longValue());
            out.putLowLong(number.shiftRight(Long.SIZE).longValue());
        }
    }

    /** A UUID, which Spark holds as its text: two numbers, the high one first. */
    static final class Uuid extends BinaryBytes {
        private static final byte[] DIGITS = "0123456789abcdef".getBytes();
        private static final int LENGTH = 36;

        Uuid(String type) {
            super(type, 16, UTF8String.fromString("00000000-0000-0000-0000-000000000000"));
        }

        @Override
        Object held(byte[] bytes, int from) {
            return text(BinaryCursor.eight(bytes, from), BinaryCursor.eight(bytes, from + 8));
        }

        /** The text of one, by its two halves. */
        static UTF8String text(long high, long low) {
            byte[] text = new byte[LENGTH];
            int at = 0;
            for (int nibble = 0; nibble < 32; nibble++) {
                if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) text[at++] = '-';
                long half = nibble < 16 ? high : low;
                text[at++] = DIGITS[(int) (half >>> 60 - 4 * (nibble & 15)) & 15];
            }
            return UTF8String.fromBytes(text);
        }

        /** The two halves of a text. */
        static long[] halves(UTF8String uuid) {
            byte[] text = uuid.getBytes();
            long[] found = new long[2];
            int nibble = 0;
            for (byte each : text) {
                if (each == '-') continue;
                int digit = Character.digit(each, 16);
                if (digit < 0 || nibble == 32) throw new IllegalArgumentException("Cannot parse UUID from '" + uuid + "'");
                found[nibble++ >> 4] = found[nibble - 1 >> 4] << 4 | digit;
            }
            if (nibble < 32) throw new IllegalArgumentException("Cannot parse UUID from '" + uuid + "'");
            return found;
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            long[] halves = halves(row.getUTF8String(at));
            out.putLowLong(halves[0]);
            out.putLowLong(halves[1]);
        }
    }
}
