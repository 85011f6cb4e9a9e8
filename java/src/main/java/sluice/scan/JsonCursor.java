package sluice.scan;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;

/**
 * Walks over the bytes of a JSON text without copying them.
 *
 * <p>{@link #next} looks at a value. A scalar is consumed, and its text, unescaped, is then in
 * {@code text} from {@code from} to {@code to}; a list or an object is left for the caller, or for
 * {@link #skip}.
 */
public final class JsonCursor extends Cursor {
    public static final byte STRING = 1, NUMBER = 2, BOOL = 3, NULL = 4, LIST = 5, OBJECT = 6;
    public static final long NONE = Long.MIN_VALUE;

    private final boolean strict;
    private final JsonRules rules;
    private boolean anyBytes; // whether texts may be something else than UTF-8
    public boolean list; // whether the rows are in one list
    public boolean enclosed; // whether that list is in an object, among its metadata
    public byte[][] names; // of columns, that these have
    public long seen; // the columns that an object has had, of the first 64
    public int[] order; // the column of each value of a row that is a list

    public JsonCursor(byte[] bytes) {
        this(bytes, JsonRules.LENIENT);
    }

    public JsonCursor(byte[] bytes, JsonRules rules) {
        this(bytes, 0, bytes.length, rules);
    }

    /** A part of a text. */
    public JsonCursor(byte[] bytes, int from, int to, JsonRules rules) {
        super(bytes, from, to);
        this.rules = rules;
        this.strict = rules.strict();
    }

    /** Go to the next of several rows, which may have a comma between them; whether there is one. */
    public boolean more(boolean first) {
        if (!first) took(',');
        int b = peek();
        if (b == ';') ended();
        return b >= 0 && b != ';';
    }

    /** The same for rows that may be in a list. */
    public boolean moreObjects(boolean first) {
        if (!list) return more(first);
        if (took(']')) {
            ended();
            return false;
        }
        if (!first && !took(',')) throw expected("',' or ']'");
        return true;
    }

    /** The same for rows in a list that is in an object, whose other values are not looked at. */
    public boolean moreEnclosed(boolean first) {
        if (took(']')) {
            endEnclosed();
            return false;
        }
        if (peek() < 0) throw expected("']'");
        if (!first) took(',');
        return true;
    }

    /** Read the rest of the object that the data are in, and make sure that it is the last one. */
    public void endEnclosed() {
        while (!took('}')) {
            take(',');
            key();
            skip();
        }
        ended();
    }

    /** Make sure that nothing but a semicolon is left. */
    public void ended() {
        took(';');
        if (peek() >= 0) throw expected("nothing");
    }

    /** The kind of the next value. */
    public byte next() {
        int b = peek();
        switch (b) {
            case '"':
                string();
                return STRING;
            case '{':
                from = at;
                return OBJECT;
            case '[':
                from = at;
                return LIST;
            case 't':
                word("true");
                return BOOL;
            case 'f':
                word("false");
                return BOOL;
            case 'n':
                if (at + 1 < end && bytes[at + 1] == 'u') {
                    word("null");
                    return NULL;
                }
                number();
                return NUMBER;
            default:
                number();
                return NUMBER;
        }
    }

    private void word(String word) {
        int length = word.length();
        for (int i = 0; i < length; i++) {
            if (at + i >= end || bytes[at + i] != word.charAt(i)) throw expected("a value");
        }
        slice(at, at + length);
        at += length;
    }

    /** A number, or one of the words for what is none: NaN, inf, Infinity. */
    private void number() {
        int first = at;
        int i = at;
        while (i < end && inNumber(bytes[i])) i++;
        boolean good = i > first && (strict ? isStrictNumber(bytes, first, i)
            : isNumber(bytes, first, i) || notFinite(bytes, first, i));
        if (!good) throw expected("a value");
        slice(first, i);
        at = i;
    }

    /** The integer that comes next, if it has up to 18 digits; else {@code NONE}, and it is not read. */
    public long whole() {
        boolean minus = peek() == '-';
        int first = minus ? at + 1 : at;
        int last = Math.min(end, first + 18);
        int i = first;
        long number = 0;
        for (; i < last && digit(bytes[i]); i++) number = number * 10 + bytes[i] - '0';
        if (i == first || i < end && inNumber(bytes[i])) return NONE;
        slice(at, i);
        at = i;
        return minus ? -number : number;
    }

    private static boolean inNumber(byte b) {
        return b >= '0' && b <= '9' || b == '-' || b == '+' || b == '.'
            || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z';
    }

    /** Whether a text is a decimal number: a sign, digits, a fraction, an exponent. */
    public static boolean isNumber(byte[] b, int i, int to) {
        if (i < to && (b[i] == '-' || b[i] == '+')) i++;
        int digits = 0;
        while (i < to && digit(b[i])) { i++; digits++; }
        if (i < to && b[i] == '.') {
            i++;
            while (i < to && digit(b[i])) { i++; digits++; }
        }
        if (digits == 0) return false;
        if (i < to && (b[i] == 'e' || b[i] == 'E')) {
            i++;
            if (i < to && (b[i] == '-' || b[i] == '+')) i++;
            if (i == to) return false;
            while (i < to && digit(b[i])) i++;
        }
        return i == to;
    }

    /** The same as the standard has it: no plus, no zeros before it, digits on both sides of a point. */
    private static boolean isStrictNumber(byte[] b, int i, int to) {
        if (b[i] == '-') i++;
        if (i == to || !digit(b[i])) return false;
        if (b[i] == '0' && i + 1 < to && digit(b[i + 1])) return false;
        while (i < to && digit(b[i])) i++;
        if (i < to && b[i] == '.') {
            if (i + 1 == to || !digit(b[i + 1])) return false;
            i++;
            while (i < to && digit(b[i])) i++;
        }
        if (i < to && (b[i] == 'e' || b[i] == 'E')) {
            i++;
            if (i < to && (b[i] == '-' || b[i] == '+')) i++;
            if (i == to) return false;
            while (i < to && digit(b[i])) i++;
        }
        return i == to;
    }

    private static boolean digit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** Whether a text is NaN or an infinity, in any case. */
    public static boolean notFinite(byte[] b, int from, int to) {
        if (from < to && (b[from] == '-' || b[from] == '+')) from++;
        return is(b, from, to, "nan") || is(b, from, to, "inf") || is(b, from, to, "infinity");
    }

    private static boolean is(byte[] b, int from, int to, String word) {
        if (to - from != word.length()) return false;
        for (int i = 0; i < word.length(); i++) {
            if ((b[from + i] | 0x20) != word.charAt(i)) return false;
        }
        return true;
    }

    /** Read a string whose opening quote comes next. */
    void string() {
        int first = at + 1;
        byte[] b = bytes;
        int i = first;
        for (int plain = 8; plain == 8 && i + 8 <= end; i += plain) {
            plain = plain(Platform.getLong(b, Platform.BYTE_ARRAY_OFFSET + i));
        }
        for (; i < end; i++) {
            byte c = b[i];
            if (c == '"') {
                if (strict) checkText(b, first, i);
                slice(first, i);
                at = i + 1;
                return;
            }
            if (c == '\\') {
                escaped(first, i);
                return;
            }
        }
        throw unclosed();
    }

    /** How many of eight bytes come before a quote or a backslash. */
    private static int plain(long bytes) {
        long quotes = bytes ^ 0x2222222222222222L;
        long slashes = bytes ^ 0x5C5C5C5C5C5C5C5CL;
        long found = (quotes - 0x0101010101010101L & ~quotes | slashes - 0x0101010101010101L & ~slashes)
                & 0x8080808080808080L;
        return Long.numberOfTrailingZeros(found) >>> 3;
    }

    private void checkText(byte[] b, int from, int to) {
        if (!anyBytes && !Utf8.valid(b, from, to)) throw new BadValue("Cannot parse input: a string is not UTF-8");
    }

    private BadValue unclosed() {
        return new BadValue("Cannot parse input: a string is not closed: '"
            + BadValue.shown(bytes, at, end) + "'");
    }

    private void escaped(int first, int i) {
        byte[] out = new byte[Math.max(16, 2 * (i - first) + 16)];
        int n = i - first;
        System.arraycopy(bytes, first, out, 0, n);
        while (i < end) {
            byte c = bytes[i++];
            if (n + 12 > out.length) out = Arrays.copyOf(out, 2 * out.length);
            if (c == '"') {
                if (strict) checkText(out, 0, n);
                unescaped(out, n, i);
                return;
            }
            if (c != '\\') {
                out[n++] = c;
                continue;
            }
            if (i >= end) break;
            c = bytes[i++];
            switch (c) {
                case 'b': out[n++] = '\b'; break;
                case 'f': out[n++] = '\f'; break;
                case 'n': out[n++] = '\n'; break;
                case 'r': out[n++] = '\r'; break;
                case 't': out[n++] = '\t'; break;
                case 'u':
                    if (rules.badEscapes() == JsonRules.BadEscapes.KEPT && hexOrNone(i) < 0) {
                        out[n++] = '\\';
                        out[n++] = 'u';
                        break;
                    }
                    int code = hex(i);
                    int escape = i - 2;
                    i += 4;
                    if (Character.isHighSurrogate((char) code)) {
                        boolean second = i + 1 < end && bytes[i] == '\\' && bytes[i + 1] == 'u';
                        int low = second ? hexOrNone(i + 2) : -1;
                        if (low < 0 && second && rules.badEscapes() != JsonRules.BadEscapes.KEPT) hex(i + 2);
                        if (low >= 0 && Character.isLowSurrogate((char) low)) {
                            code = Character.toCodePoint((char) code, (char) low);
                            i += 6;
                        } else if (rules.badEscapes() != JsonRules.BadEscapes.REPLACED) {
                            if (low >= 0) i += 6;
                            n = unpaired(escape, i, low >= 0, out, n);
                            break;
                        }
                    }
                    n = utf8(code, out, n);
                    break;
                default:
                    if (strict && c != '"' && c != '\\' && c != '/') {
                        at = i - 2;
                        throw expected("a known escape");
                    }
                    out[n++] = c;
            }
        }
        throw unclosed();
    }

    private int hex(int i) {
        int code = hexOrNone(i);
        if (code < 0) {
            at = Math.min(i, end);
            throw expected("four hexadecimal digits");
        }
        return code;
    }

    private int hexOrNone(int i) {
        int code = 0;
        for (int k = i; k < i + 4; k++) {
            int digit = k < end ? Character.digit(bytes[k], 16) : -1;
            if (digit < 0) return -1;
            code = code << 4 | digit;
        }
        return code;
    }

    /** The first half of a surrogate pair whose second is missing, or is {@code another} character. */
    private int unpaired(int from, int to, boolean another, byte[] out, int n) {
        if (rules.badEscapes() == JsonRules.BadEscapes.REFUSED) {
            throw new BadValue((another ? "Incorrect surrogate pair of unicode escape sequences in JSON"
                : "Cannot parse escape sequence: missing second part of surrogate pair")
                + ": '" + BadValue.shown(bytes, from, to) + "'");
        }
        System.arraycopy(bytes, from, out, n, to - from);
        return n + to - from;
    }

    /** An unpaired surrogate becomes the replacement character, or the bytes that it would have. */
    private int utf8(int code, byte[] out, int n) {
        boolean half = code >= 0xD800 && code <= 0xDFFF;
        if (half && rules.badEscapes() == JsonRules.BadEscapes.REPLACED) code = 0xFFFD;
        if (code < 0x80) {
            out[n++] = (byte) code;
        } else if (code < 0x800) {
            out[n++] = (byte) (0xC0 | code >> 6);
            out[n++] = (byte) (0x80 | code & 0x3F);
        } else if (code < 0x10000) {
            out[n++] = (byte) (0xE0 | code >> 12);
            out[n++] = (byte) (0x80 | code >> 6 & 0x3F);
            out[n++] = (byte) (0x80 | code & 0x3F);
        } else {
            out[n++] = (byte) (0xF0 | code >> 18);
            out[n++] = (byte) (0x80 | code >> 12 & 0x3F);
            out[n++] = (byte) (0x80 | code >> 6 & 0x3F);
            out[n++] = (byte) (0x80 | code & 0x3F);
        }
        return n;
    }

    /** Skip a value of any kind, checking it; its bytes are then from {@code from} to {@code to}. */
    public void skip() {
        byte kind = next();
        if (kind == LIST || kind == OBJECT) skip(kind);
    }

    /** The same for a value whose texts are not looked at. */
    public void skipUnread() {
        anyBytes = true;
        skip();
        anyBytes = false;
    }

    /** Skip a list or an object, without recursion: brackets may be as deep as a message is long. */
    private void skip(byte kind) {
        int first = at;
        boolean[] objects = new boolean[16]; // of what is open: whether each is an object
        int depth = 0;
        boolean more = opened(objects, depth++, kind);
        while (true) {
            if (!more) {
                if (--depth == 0) break;
                more = another(objects[depth - 1] ? '}' : ']');
                continue;
            }
            if (depth > rules.deepest()) throw new BadValue("Cannot parse input: more than " + rules.deepest()
                + " lists and objects within each other");
            if (objects[depth - 1]) key();
            byte inner = next();
            if (inner == LIST || inner == OBJECT) {
                if (depth == objects.length) objects = Arrays.copyOf(objects, 2 * depth);
                more = opened(objects, depth++, inner);
            } else {
                more = another(objects[depth - 1] ? '}' : ']');
            }
        }
        slice(first, at);
    }

    /** Consume the bracket that opens a list or an object; whether there is anything in it. */
    private boolean opened(boolean[] objects, int depth, byte kind) {
        objects[depth] = kind == OBJECT;
        at++;
        return !took(kind == OBJECT ? '}' : ']');
    }

    /** Read up to the bracket that closes an object; what is inside is not looked at. */
    public void object() {
        int first = at, depth = 0;
        boolean inText = false;
        while (at < end) {
            byte b = bytes[at++];
            if (inText) {
                if (b == '\\') at++;
                else if (b == '"') inText = false;
            } else if (b == '"') {
                inText = true;
            } else if (b == '{') {
                depth++;
            } else if (b == '}' && --depth == 0) {
                slice(first, at);
                return;
            }
        }
        at = end;
        throw new BadValue("Unexpected end of file while parsing JSON object: '"
            + BadValue.shown(bytes, 0, end) + "'");
    }

    /** Whether the text that was read last is this one, of ASCII alone. */
    public boolean isText(String wanted) {
        if (to - from != wanted.length()) return false;
        for (int i = 0; i < wanted.length(); i++) {
            if (text[from + i] != wanted.charAt(i)) return false;
        }
        return true;
    }

    /** Read a key and the colon after it; its text stays in {@code text}. */
    public void key() {
        if (peek() != '"') throw expected("a key in quotes");
        string();
        if (at < end && bytes[at] == ':') at++;
        else take(':');
    }
}
