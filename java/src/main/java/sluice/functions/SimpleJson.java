package sluice.functions;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;

/**
 * ClickHouse's {@code simpleJSON…} functions, which do not parse: they take what stands right after the
 * first {@code "key":}, wherever that is, and know no blanks.
 */
public final class SimpleJson {
    private static final Decimal ZERO = Decimal.apply(BigDecimal.ZERO, 20, 0);

    private SimpleJson() {}

    /** Where the value of a key begins, -1 if there is none. */
    private static int value(byte[] text, UTF8String key) {
        byte[] wanted = ("\"" + key + "\":").getBytes(StandardCharsets.UTF_8);
        int at = ClickHouse.find(text, wanted, 0);
        return at < 0 ? -1 : at + wanted.length;
    }

    /** Whether there is a key. */
    public static boolean simpleHas(UTF8String text, UTF8String key) {
        return value(text.getBytes(), key) >= 0;
    }

    /** Whether a value begins with true. */
    public static boolean simpleBool(UTF8String text, UTF8String key) {
        byte[] bytes = text.getBytes();
        int at = value(bytes, key);
        return at >= 0 && bytes.length >= at + 4
            && new String(bytes, at, 4, StandardCharsets.ISO_8859_1).equals("true");
    }

    /** The integer that a value begins with, in quotes or not; 0 if it does not fit an Int64. */
    public static long simpleInt(UTF8String text, UTF8String key) {
        BigInteger found = whole(text, key);
        return found == null || found.bitLength() > 63 ? 0 : found.longValue();
    }

    /** The same as a UInt64. */
    public static Decimal simpleUInt(UTF8String text, UTF8String key) {
        BigInteger found = whole(text, key);
        boolean fits = found != null && found.signum() >= 0 && found.bitLength() <= 64;
        return fits ? Decimal.apply(new BigDecimal(found), 20, 0) : ZERO;
    }

    private static BigInteger whole(UTF8String text, UTF8String key) {
        byte[] bytes = text.getBytes();
        int from = unquoted(bytes, value(bytes, key));
        int to = digits(bytes, sign(bytes, from));
        if (from < 0 || to == sign(bytes, from) || to - from > 100) return null;
        int first = bytes[from] == '+' ? from + 1 : from;
        return new BigInteger(new String(bytes, first, to - first, StandardCharsets.ISO_8859_1));
    }

    /** The floating point number that a value begins with, in quotes or not. */
    public static double simpleFloat(UTF8String text, UTF8String key) {
        byte[] bytes = text.getBytes();
        int from = unquoted(bytes, value(bytes, key));
        if (from < 0) return 0;
        int first = sign(bytes, from);
        boolean minus = first > from && bytes[from] == '-';
        int to = digits(bytes, first);
        int count = to - first;
        if (to < bytes.length && bytes[to] == '.') {
            int end = digits(bytes, to + 1);
            count += end - to - 1;
            to = end;
        }
        if (count == 0) {
            double odd = word(bytes, first, "nan") ? Double.NaN
                : word(bytes, first, "inf") ? Double.POSITIVE_INFINITY : 0;
            return minus ? -odd : odd;
        }
        if (to < bytes.length && (bytes[to] | 0x20) == 'e') {
            int exponent = sign(bytes, to + 1);
            int end = digits(bytes, exponent);
            if (end > exponent) to = end;
        }
        double found = Double.parseDouble(new String(bytes, first, to - first, StandardCharsets.ISO_8859_1));
        return minus ? -found : found;
    }

    private static boolean word(byte[] bytes, int from, String word) {
        return bytes.length >= from + word.length()
            && new String(bytes, from, word.length(), StandardCharsets.ISO_8859_1).equalsIgnoreCase(word);
    }

    /** A string without its escapes; nothing if it is none, or is not closed. */
    public static UTF8String simpleString(UTF8String text, UTF8String key) {
        byte[] bytes = text.getBytes();
        int at = value(bytes, key);
        if (at < 0 || at >= bytes.length || bytes[at] != '"') return UTF8String.EMPTY_UTF8;
        Output out = new Output(64);
        for (at++; at < bytes.length; at++) {
            byte each = bytes[at];
            if (each == '"') return UTF8String.fromBytes(out.message());
            if (each != '\\') {
                out.put((int) each);
                continue;
            }
            if (++at == bytes.length) break;
            int known = "bfnrt".indexOf(bytes[at]);
            if (bytes[at] != 'u') {
                out.put(known < 0 ? (int) bytes[at] : (int) "\b\f\n\r\t".charAt(known));
                continue;
            }
            int code = code(bytes, at + 1);
            at += 4;
            if (code >= 0xD800 && code < 0xDC00 && at + 2 < bytes.length && bytes[at + 1] == '\\'
                    && bytes[at + 2] == 'u') {
                int low = code(bytes, at + 3);
                code = low >= 0xDC00 && low < 0xE000 ? Character.toCodePoint((char) code, (char) low) : -1;
                at += 6;
            }
            if (code < 0 || code >= 0xD800 && code < 0xE000) return UTF8String.EMPTY_UTF8;
            out.put(new String(Character.toChars(code)).getBytes(StandardCharsets.UTF_8));
        }
        return UTF8String.EMPTY_UTF8;
    }

    private static int code(byte[] bytes, int from) {
        if (from + 4 > bytes.length) return -1;
        int code = 0;
        for (int at = from; at < from + 4; at++) {
            int digit = Character.digit(bytes[at], 16);
            if (digit < 0) return -1;
            code = code << 4 | digit;
        }
        return code;
    }

    /** All up to the comma or brace that ends a value; nothing if there is none. */
    public static UTF8String simpleRaw(UTF8String text, UTF8String key) {
        byte[] bytes = text.getBytes();
        int from = value(bytes, key);
        if (from < 0) return UTF8String.EMPTY_UTF8;
        StringBuilder open = new StringBuilder(); // what closes each of them
        for (int at = from; at < bytes.length; at++) {
            byte each = bytes[at];
            char close = open.length() == 0 ? 0 : open.charAt(open.length() - 1);
            if (close != 0 && each == close) {
                open.setLength(open.length() - 1);
            } else if (close == '"') {
                if (each == '\\' && at + 1 < bytes.length && bytes[at + 1] == '"') at++;
            } else if (each == '[' || each == '{' || each == '"') {
                open.append(each == '[' ? ']' : each == '{' ? '}' : '"');
            } else if (close == 0 && (each == ',' || each == '}')) {
                return UTF8String.fromBytes(bytes, from, at - from);
            }
        }
        return UTF8String.EMPTY_UTF8;
    }

    private static int unquoted(byte[] bytes, int at) {
        return at >= 0 && at < bytes.length && bytes[at] == '"' ? at + 1 : at;
    }

    private static int sign(byte[] bytes, int at) {
        return at >= 0 && at < bytes.length && (bytes[at] == '-' || bytes[at] == '+') ? at + 1 : at;
    }

    private static int digits(byte[] bytes, int from) {
        int at = from;
        while (at >= 0 && at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9') at++;
        return at;
    }
}
