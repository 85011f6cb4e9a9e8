package sluice.capnproto;

import org.apache.spark.unsafe.Platform;

/** The values of rows in RowBinary, as our own encoder has written them. */
final class RowBytes {
    final byte[] bytes;
    int at;

    RowBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    boolean more() {
        return at < bytes.length;
    }

    /** A number of so many bytes, the lowest first. */
    long number(int width, boolean signed) {
        int from = at;
        at += width;
        long place = Platform.BYTE_ARRAY_OFFSET + (long) from;
        switch (width) {
            case 1: return signed ? bytes[from] : bytes[from] & 0xff;
            case 2: return signed ? Platform.getShort(bytes, place) : Platform.getShort(bytes, place) & 0xffff;
            case 4: return signed ? Platform.getInt(bytes, place) : Platform.getInt(bytes, place) & 0xffffffffL;
            default: return Platform.getLong(bytes, place);
        }
    }

    /** How many bytes or items follow. */
    int count() {
        int found = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = bytes[at++];
            found |= (b & 0x7f) << shift;
            if (b >= 0) return found;
        }
    }
}
