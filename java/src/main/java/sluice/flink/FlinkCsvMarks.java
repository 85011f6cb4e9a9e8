package sluice.flink;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import sluice.values.Settings;

/**
 * The characters that mean something in a line, each as its bytes, null for one that there is not;
 * and how blanks, comments and NULL are written.
 */
final class FlinkCsvMarks implements Serializable {
    final byte[] delimiter;
    final byte[] quote;
    final byte[] escape;
    final byte[] between;
    final byte[] nothing;
    final boolean trims;
    final boolean comments;
    final boolean skipsFirst;
    private final boolean emptyIsNull;

    FlinkCsvMarks(Settings options) {
        delimiter = bytes(options.text("field-delimiter"));
        quote = options.flag("disable-quote-character")
            ? null : bytes(options.text("quote-character"));
        escape = bytes(options.textOrNull("escape-character"));
        between = bytes(options.text("array-element-delimiter"));
        nothing = bytes(options.textOrNull("null-literal"));
        trims = options.flag("trim-spaces");
        comments = options.flag("allow-comments");
        skipsFirst = options.flag("ignore-first-line");
        emptyIsNull = options.flag("empty-string-as-null");
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a text is written for NULL. */
    boolean isNull(byte[] b, int from, int to) {
        if (from == to && emptyIsNull) return true;
        return nothing != null && to - from == nothing.length && starts(nothing, b, from, to);
    }

    /** The end of the element of an array or row that begins at a position. */
    int elementEnd(byte[] b, int from, int to) {
        int i = from;
        while (i < to && !starts(between, b, i, to)) i++;
        return i;
    }

    /** Whether a field has one element, which is nothing but whitespace. */
    boolean isBlank(byte[] b, int from, int to) {
        return elementEnd(b, from, to) == to && FlinkValue.first(b, from, to) == to;
    }

    /** Whether the bytes at a position begin with a mark. */
    static boolean starts(byte[] mark, byte[] b, int at, int end) {
        if (mark.length > end - at) return false;
        for (int i = 0; i < mark.length; i++) {
            if (b[at + i] != mark[i]) return false;
        }
        return true;
    }

    /** What an error calls a character. */
    static String shown(byte[] mark) {
        String text = new String(mark, StandardCharsets.UTF_8);
        int code = text.codePointAt(0);
        return Character.isISOControl(code) ? "(CTRL-CHAR, code " + code + ")"
            : "'" + text.substring(0, text.offsetByCodePoints(0, 1)) + "' (code " + code + ")";
    }
}
