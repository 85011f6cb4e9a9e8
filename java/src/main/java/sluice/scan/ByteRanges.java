package sluice.scan;

import org.apache.spark.unsafe.Platform;

/** Whether short texts are the same, eight bytes at a time. */
public final class ByteRanges {
    private ByteRanges() {}

    /** Both parts must lie within their arrays. */
    public static boolean same(byte[] one, int from, byte[] other, int at, int length) {
        long a = Platform.BYTE_ARRAY_OFFSET + from;
        long b = Platform.BYTE_ARRAY_OFFSET + at;
        if (length < 4) {
            for (int n = 0; n < length; n++) {
                if (one[from + n] != other[at + n]) return false;
            }
            return true;
        }
        if (length < 8) { // the two halves may overlap
            int second = length - 4;
            return Platform.getInt(one, a) == Platform.getInt(other, b)
                && Platform.getInt(one, a + second) == Platform.getInt(other, b + second);
        }
        int last = length - 8;
        for (int n = 0; n < last; n += 8) {
            if (Platform.getLong(one, a + n) != Platform.getLong(other, b + n)) return false;
        }
        return Platform.getLong(one, a + last) == Platform.getLong(other, b + last);
    }
}
