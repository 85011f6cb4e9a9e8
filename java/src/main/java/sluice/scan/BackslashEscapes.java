package sluice.scan;

/** What a backslash and the bytes after it stand for. */
public final class BackslashEscapes {
    private BackslashEscapes() {}

    /**
     * Read an escape whose backslash has been read, into {@code out} at {@code n}. The answer is
     * where to read on, and in its lower half where to write on.
     */
    public static long read(byte[] b, int i, int end, byte[] out, int n) {
        if (i == end) throw new BadValue("Cannot parse escape sequence: nothing follows the backslash");
        byte c = b[i++];
        switch (c) {
            case 'a': out[n++] = 7; break;
            case 'b': out[n++] = '\b'; break;
            case 'e': out[n++] = 27; break;
            case 'f': out[n++] = '\f'; break;
            case 'n': out[n++] = '\n'; break;
            case 'r': out[n++] = '\r'; break;
            case 't': out[n++] = '\t'; break;
            case 'v': out[n++] = 11; break;
            case '0': out[n++] = 0; break;
            case 'N': break; // stands for nothing at all inside a text
            case 'x':
                int high = i < end ? Character.digit(b[i], 16) : -1;
                int low = i + 1 < end ? Character.digit(b[i + 1], 16) : -1;
                if (high < 0 || low < 0) {
                    throw new BadValue("Cannot parse escape sequence: two hexadecimal digits are expected");
                }
                out[n++] = (byte) (high << 4 | low);
                i += 2;
                break;
            default:
                boolean alone = c == '\\' || c == '`' || c == '"' || c == '\'' || c == '/' || c == '='
                    || c >= 0 && c < ' ';
                if (!alone) out[n++] = '\\';
                out[n++] = c;
        }
        return (long) i << 32 | n;
    }
}
