package sluice.scan;

/**
 * A position in a text. What was read last is in {@code text} from {@code from} to {@code to}: a part
 * of the bytes themselves, or a copy of it without escapes.
 */
public class Cursor {
    public final byte[] bytes;
    public final int end;
    public int at;
    public byte[] text;
    public int from;
    public int to;

    public Cursor(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    /** Skip a byte order mark. */
    public final void skipMark() {
        if (end - at >= 3 && bytes[at] == (byte) 0xEF && bytes[at + 1] == (byte) 0xBB
                && bytes[at + 2] == (byte) 0xBF) at += 3;
    }

    /** The next byte that is not blank, or -1 at the end; it is not consumed. */
    public final int peek() {
        while (at < end) {
            byte b = bytes[at];
            if (b > ' ') return b;
            if (b < 0) return b & 0xff;
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') return b;
            at++;
        }
        return -1;
    }

    /** Consume a byte that must come next. */
    public final void take(char wanted) {
        if (peek() != wanted) throw expected("'" + wanted + "'");
        at++;
    }

    /** Consume a byte if it comes next. */
    public final boolean took(char wanted) {
        if (peek() != wanted) return false;
        at++;
        return true;
    }

    /** Consume this byte and no blanks before it, if it comes next. */
    public final boolean is(int wanted) {
        if (at == end || bytes[at] != wanted) return false;
        at++;
        return true;
    }

    /** Skip to the next line. */
    public final void skipLine() {
        while (at < end && bytes[at++] != '\n') { }
    }

    public final void slice(int first, int last) {
        text = bytes;
        from = first;
        to = last;
    }

    /** Have read a text without its escapes, up to a position. */
    public final void unescaped(byte[] copy, int length, int next) {
        text = copy;
        from = 0;
        to = length;
        at = next;
    }

    /** Consume a comma, or what closes a list of values; whether another one follows. */
    public final boolean another(char close) {
        if (took(',')) return true;
        if (!took(close)) throw expected("',' or '" + close + "'");
        return false;
    }

    public final BadValue expected(String what) {
        if (at >= end) {
            return new BadValue("Cannot parse input: expected " + what + " at its end: '"
                + BadValue.shown(bytes, 0, end) + "'");
        }
        return new BadValue("Cannot parse input: expected " + what + " before: '"
            + BadValue.shown(bytes, at, end) + "'");
    }
}
