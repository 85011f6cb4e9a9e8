package sluice.functions;

import java.util.function.UnaryOperator;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.Utf8;
import sluice.values.Output;

/**
 * ClickHouse's functions that count letters (UTF-8 code points), for any bytes.
 *
 * <p>Spark's own read over the end of a text that breaks off within a letter, and replace bytes that
 * are no UTF-8.
 */
public final class Letters {
    private Letters() {}

    /** A part: from an offset that counts from 1, or from the end if it is negative. */
    public static UTF8String substringUtf8(UTF8String text, long from, long count) {
        byte[] bytes = text.getBytes();
        Slice slice = Slice.of(count(bytes), from, count);
        int start = offset(bytes, 0, slice.start());
        int end = offset(bytes, start, slice.end() - slice.start());
        return UTF8String.fromBytes(bytes, start, end - start);
    }

    /** Cut off or filled up at the left to so many letters. */
    public static UTF8String leftPadUtf8(UTF8String text, int size, UTF8String with) {
        return padded(text, size, with, true);
    }

    /** Cut off or filled up at the right to so many letters. */
    public static UTF8String rightPadUtf8(UTF8String text, int size, UTF8String with) {
        return padded(text, size, with, false);
    }

    private static UTF8String padded(UTF8String text, int size, UTF8String with, boolean left) {
        byte[] bytes = text.getBytes();
        int more = size - count(bytes);
        if (more <= 0) {
            return UTF8String.fromBytes(bytes, 0, size <= 0 ? 0 : offset(bytes, 0, size));
        }
        byte[] filling = with.numBytes() == 0 ? new byte[] {' '} : with.getBytes();
        int each = Math.max(count(filling), 1);
        Output out = new Output(bytes.length + more / each * filling.length + filling.length);
        if (!left) out.put(bytes);
        for (int n = 0; n < more / each; n++) out.put(filling);
        out.put(java.util.Arrays.copyOf(filling, offset(filling, 0, more % each)));
        if (left) out.put(bytes);
        return UTF8String.fromBytes(out.message());
    }

    /** In lower case; bytes that are no UTF-8 stay as they are. */
    public static UTF8String lowerUtf8(UTF8String text) {
        return cased(text, UTF8String::toLowerCase);
    }

    /** In upper case; bytes that are no UTF-8 stay as they are. */
    public static UTF8String upperUtf8(UTF8String text) {
        return cased(text, UTF8String::toUpperCase);
    }

    private static UTF8String cased(UTF8String text, UnaryOperator<UTF8String> change) {
        byte[] bytes = text.getBytes();
        if (Utf8.valid(bytes, 0, bytes.length)) return change.apply(text);
        Output out = new Output(bytes.length);
        int from = 0;
        for (int at = 0; at < bytes.length; ) {
            int next = Utf8.next(bytes, at, bytes.length);
            if (next < 0) {
                out.put(change.apply(UTF8String.fromBytes(bytes, from, at - from)).getBytes());
                out.put((int) bytes[at]);
                from = at + 1;
            }
            at = next < 0 ? at + 1 : next;
        }
        out.put(change.apply(UTF8String.fromBytes(bytes, from, bytes.length - from)).getBytes());
        return UTF8String.fromBytes(out.message());
    }

    private static int count(byte[] bytes) {
        int found = 0;
        for (byte each : bytes) {
            if (starts(each)) found++;
        }
        return found;
    }

    /** Where the letter is that comes so many letters after the one at {@code from}. */
    private static int offset(byte[] bytes, int from, long letters) {
        int at = from;
        for (long left = letters; at < bytes.length && left > 0; left--) {
            at++;
            while (at < bytes.length && !starts(bytes[at])) at++;
        }
        return at;
    }

    private static boolean starts(byte each) {
        return (each & 0xC0) != 0x80;
    }
}
