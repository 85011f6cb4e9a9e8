package sluice.values;

import java.util.Arrays;

/**
 * How a text is written so that it can be read back: for each byte what stands for it, if not itself.
 *
 * <p>A text is written as it is first; only if it then turns out to hold such a byte is it gone over.
 */
public final class Escapes implements java.io.Serializable {
    /** JSON, with slashes as they are. */
    static final Escapes JSON = json(false);
    /** JSON, with a backslash before slashes too. */
    static final Escapes JSON_SLASHES = json(true);
    /** JSON as Jackson writes it into texts: only what has to be escaped. */
    public static final Escapes JACKSON_TEXT = json(false).withoutSeparators();
    /** And into bytes: what UTF-16 has pairs for as well. */
    public static final Escapes JACKSON = json(false).withoutSeparators().withPairs();
    /** TabSeparated, and the texts within lists, maps and tuples. */
    public static final Escapes TAB = tab().with('\'', "\\'");
    /** TSKV's names, whose equal signs are escaped. */
    public static final Escapes KEY = tab().with('=', "\\=");
    /** CSV: a double quote stands twice. */
    public static final Escapes CSV = new Escapes().with('"', "\"\"");

    private static final int SEPARATOR = 0xE2; // what begins U+2028 and U+2029
    private static final int PAIR = 0xF0; // what begins a character of four bytes

    private final byte[][] instead = new byte[256][];
    private final boolean[] marked = new boolean[256]; // those that may have to be escaped
    private boolean separators; // U+2028 and U+2029 end lines in JavaScript

    /** JSON as the settings want it. */
    public static Escapes json(Settings settings) {
        return settings.flag("output_format_json_escape_forward_slashes") ? JSON_SLASHES : JSON;
    }

    private Escapes with(int b, String text) {
        instead[b] = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        marked[b] = true;
        return this;
    }

    private static Escapes json(boolean slashes) {
        Escapes made = new Escapes();
        for (int b = 0; b < ' '; b++) made.with(b, String.format("\\u%04X", b));
        made.with('\b', "\\b").with('\f', "\\f").with('\n', "\\n").with('\r', "\\r");
        made.with('\t', "\\t").with('\\', "\\\\").with('"', "\\\"");
        if (slashes) made.with('/', "\\/");
        made.separators = true;
        made.marked[SEPARATOR] = true;
        return made;
    }

    private Escapes withoutSeparators() {
        separators = false;
        marked[SEPARATOR] = false;
        return this;
    }

    private Escapes withPairs() {
        for (int b = PAIR; b < 256; b++) with(b, "");
        return this;
    }

    private static Escapes tab() {
        return new Escapes().with('\b', "\\b").with('\f', "\\f").with('\n', "\\n").with('\r', "\\r")
            .with('\t', "\\t").with(0, "\\0").with('\\', "\\\\");
    }

    /** Escape what was written from a position on. */
    public void from(Output out, int first) {
        byte[] b = out.bytes;
        boolean[] marked = this.marked;
        int end = out.size;
        for (int i = first; i < end; i++) {
            if (marked[b[i] & 0xff] && (instead[b[i] & 0xff] != null || separator(b, i, end))) {
                again(out, i);
                return;
            }
        }
    }

    private void again(Output out, int first) {
        byte[] text = Arrays.copyOfRange(out.bytes, first, out.size);
        out.size = first;
        for (int i = 0; i < text.length; i++) {
            byte[] other = instead[text[i] & 0xff];
            if (other != null && other.length == 0) {
                i += pair(text, i, out);
            } else if (other != null) {
                out.put(other);
            } else if (separators && separator(text, i, text.length)) {
                out.put(text[i + 2] == (byte) 0xA8 ? "\\u2028" : "\\u2029");
                i += 2;
            } else {
                out.put(text[i]);
            }
        }
    }

    /** A character of four bytes as two escapes; how many bytes that were more than one. */
    private static int pair(byte[] b, int i, Output out) {
        int code = i + 3 < b.length
            ? (b[i] & 7) << 18 | (b[i + 1] & 63) << 12 | (b[i + 2] & 63) << 6 | b[i + 3] & 63 : 0;
        if (!Character.isSupplementaryCodePoint(code)) {
            out.put(b[i]);
            return 0;
        }
        out.put(String.format("\\u%04X\\u%04X", (int) Character.highSurrogate(code),
            (int) Character.lowSurrogate(code)));
        return 3;
    }

    private static boolean separator(byte[] b, int i, int end) {
        return b[i] == (byte) SEPARATOR && i + 2 < end && b[i + 1] == (byte) 0x80
            && (b[i + 2] == (byte) 0xA8 || b[i + 2] == (byte) 0xA9);
    }
}
