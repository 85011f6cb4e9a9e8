package sluice.flink;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.Decimal;
import sluice.scan.JsonCursor;
import sluice.values.NumberReaders;

/** Numbers as Flink reads them: in quotes or not, with blanks around them. */
final class FlinkNumbers {
    private FlinkNumbers() {}

    private static String ascii(byte[] b, int from, int to) {
        return new String(b, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** An integer of so many bits; a larger one is read from a fraction too, which is cut off. */
    static class IntValue extends FlinkValue {
        private final int bits;
        private final long low;
        private final long high;

        IntValue(String type, int bits) {
            super(type);
            this.bits = bits;
            this.low = -1L << bits - 1;
            this.high = ~low;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int first = first(b, from, to);
            int last = last(b, first, to);
            return whole(b, first, last, false);
        }

        @Override
        Object bare(byte kind, byte[] b, int from, int to) {
            return whole(b, from, to, kind == JsonCursor.NUMBER && bits >= 32);
        }

        private Object whole(byte[] b, int from, int to, boolean fractions) {
            int i = from;
            boolean minus = i < to && b[i] == '-';
            if (minus || i < to && b[i] == '+') i++;
            if (i == to) throw wrong(b, from, to);
            long number = 0; // as a negative number, which has the larger range
            for (int k = i; k < to; k++) {
                int digit = b[k] - '0';
                if (digit < 0 || digit > 9 || number < (Long.MIN_VALUE + digit) / 10) {
                    if (!fractions) throw wrong(b, from, to);
                    return fraction(b, from, to);
                }
                number = number * 10 - digit;
            }
            if (!minus) {
                if (number == Long.MIN_VALUE) throw wrong(b, from, to);
                number = -number;
            }
            if (number < low || number > high) throw wrong(b, from, to);
            return boxed(number);
        }

        private Object fraction(byte[] b, int from, int to) {
            double number = Double.parseDouble(ascii(b, from, to));
            // The double next to the largest long is one too many.
            boolean fits = number >= low && (bits == 64 ? number < 0x1p63 : number <= high);
            if (!fits) throw wrong(b, from, to);
            return boxed((long) number);
        }

        /** What Spark holds. */
        Object boxed(long number) {
            return NumberReaders.boxed(number, bits);
        }
    }

    /** A length of time, written as milliseconds; Spark has microseconds. */
    static final class Millis extends IntValue {
        Millis(String type) {
            super(type, 64);
        }

        @Override
        Object boxed(long number) {
            return Math.multiplyExact(number, 1000L);
        }
    }

    /** A floating point number, as Java reads it. */
    static final class Floating extends FlinkValue {
        private final boolean small;

        Floating(String type, boolean small) {
            super(type);
            this.small = small;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            double quick = NumberReaders.Floating.quick(b, from, to, small);
            if (quick == quick) return small ? (Object) (float) quick : (Object) quick;
            String number = ascii(b, from, to);
            try {
                return small ? (Object) Float.parseFloat(number) : (Object) Double.parseDouble(number);
            } catch (NumberFormatException bad) {
                throw wrong(b, from, to);
            }
        }
    }

    /** A decimal: rounded to the digits that are kept, NULL if it has too many before them. */
    static final class DecimalValue extends FlinkValue {
        private static final int LONGEST = 1000;
        private static final int SMALL = 18; // digits that a long has for certain

        private final int precision;
        private final int scale;
        private final long most; // the first unscaled number that is too large

        DecimalValue(String type, int precision, int scale) {
            super(type);
            this.precision = precision;
            this.scale = scale;
            long tens = 1;
            for (int i = 0; i < Math.min(precision, SMALL); i++) tens *= 10;
            most = tens;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int first = first(b, from, to);
            int last = last(b, first, to);
            if (precision <= SMALL) {
                long quick = quick(b, first, last);
                if (quick != Long.MIN_VALUE) {
                    if (quick <= -most || quick >= most) return null;
                    return Decimal.createUnsafe(quick, precision, scale);
                }
            }
            return slow(b, first, last);
        }

        /** The unscaled number, if a long has place for all of its digits; else the smallest long. */
        private long quick(byte[] b, int from, int to) {
            int i = from;
            boolean minus = i < to && b[i] == '-';
            if (minus) i++;
            if (i == to || to - i > SMALL) return Long.MIN_VALUE;
            long digits = 0;
            int count = 0;
            int decimals = -1; // digits after the point, once there is one
            for (; i < to; i++) {
                int digit = b[i] - '0';
                if (digit >= 0 && digit <= 9) {
                    if (decimals == scale) {
                        if (!onlyDigits(b, i + 1, to)) return Long.MIN_VALUE;
                        if (digit >= 5) digits++;
                        return minus ? -digits : digits;
                    }
                    digits = digits * 10 + digit;
                    count++;
                    if (decimals >= 0) decimals++;
                } else if (b[i] == '.' && decimals < 0) {
                    decimals = 0;
                } else {
                    return Long.MIN_VALUE;
                }
            }
            int zeros = scale - Math.max(decimals, 0);
            if (count == 0 || count + zeros > SMALL) return Long.MIN_VALUE;
            for (int k = 0; k < zeros; k++) digits *= 10;
            return minus ? -digits : digits;
        }

        private static boolean onlyDigits(byte[] b, int from, int to) {
            for (int i = from; i < to; i++) {
                if (b[i] < '0' || b[i] > '9') return false;
            }
            return true;
        }

        private Object slow(byte[] b, int from, int to) {
            if (to - from > LONGEST || !JsonCursor.isNumber(b, from, to)) throw wrong(b, from, to);
            BigDecimal number;
            try {
                number = new BigDecimal(ascii(b, from, to));
            } catch (NumberFormatException exponent) {
                throw wrong(b, from, to);
            }
            // Before anything is computed with it: an exponent may ask for a billion digits.
            long whole = number.precision() - (long) number.scale();
            if (number.signum() == 0 || whole < -scale) {
                return Decimal.apply(BigDecimal.ZERO.setScale(scale), precision, scale);
            }
            if (whole > precision - scale) return null;
            number = number.setScale(scale, RoundingMode.HALF_UP);
            if (number.precision() > precision) return null;
            return Decimal.apply(number, precision, scale);
        }
    }
}
