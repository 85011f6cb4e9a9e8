package sluice.scan;

import java.util.Arrays;

/**
 * Walks over the text of an array, a map or a tuple, as ClickHouse writes them: {@code ['a',NULL]},
 * {@code {'a':1}}, {@code (1,'a')}.
 */
public class QuotedText extends Cursor {
    public boolean inQuotes;
    private final byte stop;

    public QuotedText(byte[] bytes, int from, int to) {
        this(bytes, from, to, (byte) ' ');
    }

    /** A text in which this byte, too, ends what is not in quotes. */
    public QuotedText(byte[] bytes, int from, int to, byte stop) {
        super(bytes, from, to);
        this.stop = stop;
    }

    /** Read what comes next up to a comma, a colon or a bracket, without the quotes around it. */
    public final void item() {
        inQuotes = peek() == '\'';
        if (inQuotes) {
            string();
            return;
        }
        int first = at;
        while (at < end && !ends(bytes[at]) && bytes[at] != stop) at++;
        slice(first, at);
    }

    private static boolean ends(byte b) {
        return b == ',' || b == ':' || b == ']' || b == ')' || b == '}' || b == ' ' || b == '\t'
            || b == '\n' || b == '\r';
    }

    /** Whether the item was NULL. */
    public final boolean isNull() {
        return !inQuotes && to - from == 4 && (text[from] | 0x20) == 'n'
            && (text[from + 1] | 0x20) == 'u' && (text[from + 2] | 0x20) == 'l'
            && (text[from + 3] | 0x20) == 'l';
    }

    /** A text in single quotes, with backslashes, in which a quote may also be doubled. */
    private void string() {
        int first = at + 1;
        int i = first;
        while (i < end && bytes[i] != '\'' && bytes[i] != '\\') i++;
        if (i < end && bytes[i] == '\'' && !(i + 1 < end && bytes[i + 1] == '\'')) {
            slice(first, i);
            at = i + 1;
            return;
        }
        int last = i; // no array is longer than the text, or many texts would take as many messages
        while (last < end && (bytes[last] != '\'' || last + 1 < end && bytes[last + 1] == '\'')) {
            last += bytes[last] == '\'' || bytes[last] == '\\' ? 2 : 1;
        }
        byte[] out = new byte[last - first + 1];
        int n = i - first;
        System.arraycopy(bytes, first, out, 0, n);
        while (i < end) {
            byte b = bytes[i++];
            if (b == '\'') {
                if (i == end || bytes[i] != '\'') {
                    unescaped(out, n, i);
                    return;
                }
                i++;
            } else if (b == '\\') {
                long read = BackslashEscapes.read(bytes, i, end, out, n);
                i = (int) (read >>> 32);
                n = (int) read;
                continue;
            }
            out[n++] = b;
        }
        throw new BadValue("Cannot parse input: a text in quotes is not closed: '"
            + BadValue.shown(bytes, first - 1, end) + "'");
    }

    /** Make sure that nothing but blanks is left. */
    public final void finish() {
        if (peek() >= 0) throw expected("nothing");
    }

    @Override
    public String toString() {
        return new String(Arrays.copyOfRange(bytes, at, end), java.nio.charset.StandardCharsets.UTF_8);
    }
}
