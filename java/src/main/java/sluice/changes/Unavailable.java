package sluice.changes;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.ByteRanges;
import sluice.scan.JsonCursor;

/**
 * What Debezium writes for a value that the database did not log, because an update did not change it:
 * a text, its bytes, or a list or a map of only that.
 */
final class Unavailable {
    private static final String TEXT = "__debezium_unavailable_value";
    private static final UTF8String NAME = UTF8String.fromString(TEXT);
    private static final byte[] BYTES = TEXT.getBytes(StandardCharsets.UTF_8);
    private static final byte[] PLAIN = quoted(TEXT);
    private static final byte[] BASE64 = quoted(Base64.getEncoder().encodeToString(BYTES));

    private Unavailable() {}

    private static byte[] quoted(String text) {
        return ('"' + text + '"').getBytes(StandardCharsets.UTF_8);
    }

    /** Read the value that comes next, if it is one of these. */
    static boolean took(JsonCursor in) {
        int first = in.peek();
        if (first == '"') {
            int length = length(in);
            in.at += length;
            return length > 0;
        }
        if (first != '[' && first != '{') return false;
        int start = in.at++;
        in.peek();
        if (length(in) > 0) {
            in.at = start;
            in.skip();
            return true;
        }
        in.at = start;
        return false;
    }

    /** How many bytes it has that begins here; 0 if none does. */
    private static int length(JsonCursor in) {
        byte[] b = in.bytes;
        int at = in.at;
        if (at + PLAIN.length > in.end || b[at] != '"') return 0;
        byte[] wanted = b[at + 1] == '_' ? PLAIN : b[at + 1] == 'X' ? BASE64 : null;
        if (wanted == null || at + wanted.length > in.end) return 0;
        return ByteRanges.same(wanted, 0, b, at, wanted.length) ? wanted.length : 0;
    }

    /** Whether a value of Spark is one of these. */
    static boolean is(Object value) {
        if (value instanceof UTF8String) return value.equals(NAME);
        if (value instanceof byte[] bytes) return Arrays.equals(bytes, BYTES);
        if (value instanceof ArrayData list) {
            return list.numElements() == 1 && is(list.array()[0]);
        }
        return value instanceof MapData map && map.numElements() == 1 && is(map.keyArray());
    }
}
