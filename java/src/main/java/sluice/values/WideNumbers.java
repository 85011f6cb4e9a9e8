package sluice.values;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import sluice.scan.JsonCursor;

/**
 * Integers of 128 and 256 bits and decimals of more than 38 digits: bytes of a fixed length, the highest
 * first, with the sign bit of signed ones inverted.
 */
public final class WideNumbers {
    private static final int LONGEST = 200;

    private WideNumbers() {}

    /** What is stored for a number of so many bytes, which has to fit. */
    public static byte[] stored(BigInteger number, int length, boolean signed) {
        byte[] found = new byte[length];
        byte[] given = number.toByteArray(); // two's complement, perhaps with a zero byte before it
        int skipped = Math.max(given.length - length, 0);
        if (number.signum() < 0) Arrays.fill(found, (byte) -1);
        int kept = given.length - skipped;
        System.arraycopy(given, skipped, found, length - kept, kept);
        if (signed) found[0] ^= (byte) 0x80;
        return found;
    }

    /** The number that is stored. */
    public static BigInteger value(Object stored, boolean signed) {
        byte[] given = (byte[]) stored;
        if (!signed) return new BigInteger(1, given);
        byte[] own = given.clone();
        own[0] ^= (byte) 0x80;
        return new BigInteger(own);
    }

    /** An integer. */
    static final class IntValue extends Encoding {
        private final int length;
        private final boolean signed;
        private final BigInteger low;
        private final BigInteger high;

        IntValue(int length, boolean signed) {
            super(false);
            this.length = length;
            this.signed = signed;
            BigInteger all = BigInteger.ONE.shiftLeft(8 * length - (signed ? 1 : 0));
            this.low = signed ? all.negate() : BigInteger.ZERO;
            this.high = all.subtract(BigInteger.ONE);
        }

        @Override
        Object zero() {
            return stored(BigInteger.ZERO, length, signed);
        }

        @Override
        Object empty() {
            return zero();
        }

        @Override
        Object parsed(byte[] b, int from, int to) {
            boolean minus = from < to && b[from] == '-';
            int first = minus || from < to && b[from] == '+' ? from + 1 : from;
            if (first == to || minus && !signed) return null;
            for (int i = first; i < to; i++) {
                if (!TimeReaders.digit(b[i])) return null;
            }
            while (first < to - 1 && b[first] == '0') first++;
            if (to - first > LONGEST) return null;
            BigInteger number = new BigInteger(ascii(b, first, to));
            if (minus) number = number.negate();
            boolean fits = number.compareTo(low) >= 0 && number.compareTo(high) <= 0;
            return fits ? stored(number, length, signed) : null;
        }

        @Override
        Object ofFlag(int flag) {
            return stored(BigInteger.valueOf(flag), length, signed);
        }

        @Override
        public void write(Object stored, Output out) {
            out.put(value(stored, signed).toString());
        }
    }

    /** A decimal; digits that its scale has no place for are cut off. */
    static final class DecimalValue extends Encoding {
        private static final int LENGTH = 32;
        private final int precision;
        private final int scale;

        DecimalValue(int precision, int scale) {
            super(false);
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        Object zero() {
            return stored(BigInteger.ZERO, LENGTH, true);
        }

        @Override
        Object empty() {
            return zero();
        }

        @Override
        Object parsed(byte[] b, int from, int to) {
            if (!JsonCursor.isNumber(b, from, to) || to - from > LONGEST) return null;
            BigDecimal number;
            try {
                number = new BigDecimal(ascii(b, from, to));
            } catch (NumberFormatException exponent) {
                return null;
            }
            // Before anything is computed with it: an exponent may ask for a billion digits.
            long whole = number.precision() - (long) number.scale();
            if (number.signum() == 0 || whole < -scale) return zero();
            if (whole > precision - scale) return null;
            return stored(number.setScale(scale, RoundingMode.DOWN).unscaledValue(), LENGTH, true);
        }

        @Override
        public void write(Object stored, Output out) {
            String text = padded(stored);
            int end = text.length();
            if (scale > 0) {
                while (text.charAt(end - 1) == '0') end--;
                if (text.charAt(end - 1) == '.') end--;
            }
            out.put(text.substring(0, end));
        }

        /** The text with all digits of the scale. */
        String padded(Object stored) {
            return new BigDecimal(value(stored, true), scale).toPlainString();
        }
    }

    private static String ascii(byte[] b, int from, int to) {
        return new String(b, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
