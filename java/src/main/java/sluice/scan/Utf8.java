package sluice.scan;

/** Whether bytes are a text. */
public final class Utf8 {
    private Utf8() {}

    /** Whether these bytes are well-formed UTF-8. */
    public static boolean valid(byte[] b, int from, int to) {
        int i = from;
        while (i < to) {
            if (b[i] >= 0) {
                i++;
                continue;
            }
            i = next(b, i, to);
            if (i < 0) return false;
        }
        return true;
    }

    /** Where the letter ends that begins here, -1 if these bytes are none. */
    public static int next(byte[] b, int from, int to) {
        int c = b[from] & 0xff;
        int i = from + 1;
        if (c < 0x80) return i;
        int more = c < 0xC2 || c > 0xF4 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
        if (more < 0 || i + more > to) return -1;
        int next = b[i] & 0xff;
        int low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80; // shorter ones have shorter forms
        int high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF; // halves of pairs; the last there is
        if (next < low || next > high) return -1;
        for (int k = i + 1; k < i + more; k++) {
            if ((b[k] & 0xC0) != 0x80) return -1;
        }
        return i + more;
    }
}
