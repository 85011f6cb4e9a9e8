package sluice.values;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Floating point numbers as text: {@code 0.1}, {@code 1e21}, {@code 1e-7}, {@code nan}. */
public final class FloatText {
    private static final int SMALLEST = -6;
    private static final int LARGEST = 21; // between these powers of ten a number is written out

    private FloatText() {}

    public static void write(double value, Output out) {
        long whole = (long) value;
        if (whole == value && Math.abs(whole) < 1L << 53 && (whole != 0 || 1 / value > 0)) {
            out.put(whole);
        } else if (value - value != 0) {
            odd(value, out);
        } else {
            respell(shortest(Double.toString(value), value, false), out);
        }
    }

    public static void write(float value, Output out) {
        long whole = (long) value;
        if (whole == value && Math.abs(whole) < 1L << 24 && (whole != 0 || 1 / value > 0)) {
            out.put(whole);
        } else if (value - value != 0) {
            odd(value, out);
        } else {
            respell(shortest(Float.toString(value), value, true), out);
        }
    }

    private static void odd(double value, Output out) {
        out.put(value != value ? "nan" : value > 0 ? "inf" : "-inf");
    }

    /** Before Java 19 a number sometimes had a digit too many; the smallest ones always have two. */
    private static String shortest(String text, double value, boolean small) {
        int most = small ? 8 : 16;
        boolean smallest = Math.abs(value) < (small ? Float.MIN_NORMAL : Double.MIN_NORMAL);
        if (text.length() <= most && !smallest) return text;
        BigDecimal exact = new BigDecimal(text);
        if (exact.precision() < (smallest ? 2 : most)) return text;
        BigDecimal whole = new BigDecimal(value);
        for (int digits = exact.precision() - 1; digits > 0; digits--) {
            BigDecimal near = whole.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (!same(near, value, small)) near = whole.round(new MathContext(digits, RoundingMode.UP));
            if (!same(near, value, small)) break;
            text = near.toString();
        }
        return text;
    }

    private static boolean same(BigDecimal text, double value, boolean small) {
        return small ? text.floatValue() == (float) value : text.doubleValue() == value;
    }

    /** From Java's {@code 1.5E-5} to {@code 0.000015}. */
    private static void respell(String text, Output out) {
        BigDecimal number = new BigDecimal(text).stripTrailingZeros();
        if (number.signum() < 0 || text.charAt(0) == '-') out.put('-');
        String digits = number.unscaledValue().abs().toString();
        int exponent = digits.length() - 1 - number.scale();
        if (exponent < SMALLEST || exponent >= LARGEST) {
            out.put(digits.substring(0, 1));
            if (digits.length() > 1) {
                out.put('.');
                out.put(digits.substring(1));
            }
            out.put('e');
            out.put((long) exponent);
        } else if (exponent < 0) {
            out.put("0.");
            for (int i = -1; i > exponent; i--) out.put('0');
            out.put(digits);
        } else if (digits.length() <= exponent + 1) {
            out.put(digits);
            for (int i = digits.length(); i <= exponent; i++) out.put('0');
        } else {
            out.put(digits.substring(0, exponent + 1));
            out.put('.');
            out.put(digits.substring(exponent + 1));
        }
    }
}
