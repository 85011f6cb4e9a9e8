package sluice.transcode;

/** Reads Parquet's RLE/bit-packing hybrid. */
final class RunLengths {
    private RunLengths() {}

    /** Read so many numbers, which are all that there is, and none of which is higher than one. */
    static void read(byte[] b, int from, int to, int width, int highest, int[] into, int count) {
        if (width < 0 || width > Integer.SIZE) throw Thrift.bad();
        int at = from, n = 0;
        while (n < count) {
            long head = 0;
            for (int shift = 0; ; shift += 7) {
                if (at == to || shift > 28) throw Thrift.bad();
                byte next = b[at++];
                head |= (next & 0x7fL) << shift;
                if (next >= 0) break;
            }
            long length = head >>> 1;
            if (length == 0) throw Thrift.bad();
            if ((head & 1) == 0) {
                int bytes = (width + 7) / 8;
                if (length > count - n || bytes > to - at) throw Thrift.bad();
                int value = checked(low(b, at, bytes), highest);
                at += bytes;
                for (int end = n + (int) length; n < end; n++) into[n] = value;
            } else {
                if (length * width > to - at || (length - 1) * 8 >= count - n) throw Thrift.bad();
                int end = (int) Math.min(count, n + length * 8);
                long bit = 0;
                for (; n < end; n++, bit += width) into[n] = checked(bits(b, at, bit, width), highest);
                at += (int) (length * width);
            }
        }
        if (at != to) throw Thrift.bad();
    }

    private static long low(byte[] b, int at, int bytes) {
        long found = 0;
        for (int n = 0; n < bytes; n++) found |= (b[at + n] & 0xffL) << 8 * n;
        return found;
    }

    private static long bits(byte[] b, int at, long bit, int width) {
        int first = at + (int) (bit >>> 3), skipped = (int) bit & 7;
        return low(b, first, (skipped + width + 7) / 8) >>> skipped & (1L << width) - 1;
    }

    private static int checked(long number, int highest) {
        if (number > highest) throw Thrift.bad();
        return (int) number;
    }
}
