package sluice.functions;

import java.math.BigDecimal;
import org.apache.spark.unsafe.types.UTF8String;

/** ClickHouse's {@code hex} of what is no integer, and {@code unhex}. */
public final class Hex {
    private static final String DIGITS = "0123456789ABCDEF";

    private Hex() {}

    /** The bytes of a Float64 as they are in memory, the lowest first. */
    public static UTF8String hexDouble(double value) {
        return lowFirst(Double.doubleToLongBits(value), 8);
    }

    /** The same of a Float32. */
    public static UTF8String hexFloat(float value) {
        return lowFirst(Float.floatToIntBits(value), 4);
    }

    /** The same of a Decimal with so many digits after its point, in so many bytes. */
    public static UTF8String hexDecimal(UTF8String number, int scale, int size) {
        byte[] bytes = new BigDecimal(number.toString()).setScale(scale).unscaledValue().toByteArray();
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < size; at++) {
            int from = bytes.length - 1 - at;
            put(from >= 0 ? bytes[from] : bytes[0] >> 7, out);
        }
        return UTF8String.fromString(out.toString());
    }

    /** What digits stand for: two a byte, a single one first; anything else counts as -1. */
    public static UTF8String unhex(UTF8String text) {
        byte[] given = text.getBytes();
        byte[] found = new byte[(given.length + 1) / 2];
        int odd = given.length % 2;
        if (odd == 1) found[0] = (byte) digit(given[0]);
        for (int at = odd; at < given.length; at += 2) {
            found[(at + odd) / 2] = (byte) (digit(given[at]) * 16 + digit(given[at + 1]));
        }
        return UTF8String.fromBytes(found);
    }

    private static int digit(byte letter) {
        return letter < 0 ? 0xff : Character.digit(letter, 16) & 0xff;
    }

    private static UTF8String lowFirst(long bits, int size) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < size; at++) put((int) (bits >> 8 * at), out);
        return UTF8String.fromString(out.toString());
    }

    private static void put(int each, StringBuilder out) {
        out.append(DIGITS.charAt(each >> 4 & 15)).append(DIGITS.charAt(each & 15));
    }
}
