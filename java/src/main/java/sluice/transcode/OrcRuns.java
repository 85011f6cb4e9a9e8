package sluice.transcode;

import java.util.Arrays;
import sluice.values.Output;

/** Run-length encodings of ORC: of bytes, of bits, and of integers in the second version. */
final class OrcRuns {
    private static final int SHORT_REPEAT = 0, DIRECT = 1, DELTA = 3;
    private static final int[] WIDTHS = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64};
    private static final int OF_32_BITS = 27, LONGEST = 512;
    private static final int LEAST_RUN = 3, MOST_RUN = 130, MOST_LITERALS = 128;

    private OrcRuns() {}

    /** Read so many integers, which are all that there is. */
    static void integers(Output in, boolean signed, long[] into, int count) {
        byte[] b = in.bytes;
        Position at = new Position(b, in.size);
        int n = 0;
        while (n < count) {
            int head = at.next(), kind = head >> 6;
            if (kind == SHORT_REPEAT) {
                int width = (head >> 3 & 7) + 1, length = (head & 7) + LEAST_RUN;
                if (length > count - n) throw OrcChunks.bad();
                long value = 0;
                for (int left = width; left > 0; left--) value = value << 8 | at.next();
                Arrays.fill(into, n, n + length, signed ? zigzag(value) : value);
                n += length;
                continue;
            }
            int code = head >> 1 & 31, length = ((head & 1) << 8 | at.next()) + 1;
            if (length > count - n) throw OrcChunks.bad();
            if (kind == DIRECT) {
                int begin = at.ahead((long) length * WIDTHS[code]);
                for (int i = 0; i < length; i++) {
                    long value = bits(b, begin, (long) i * WIDTHS[code], WIDTHS[code]);
                    into[n++] = signed ? zigzag(value) : value;
                }
            } else if (kind == DELTA && length > 1) {
                long first = at.varint(), value = signed ? zigzag(first) : first, delta = zigzag(at.varint());
                int width = code == 0 ? 0 : WIDTHS[code], begin = at.ahead((length - 2L) * width);
                into[n++] = value;
                into[n++] = value += delta;
                for (int i = 0; i < length - 2; i++) {
                    long more = width == 0 ? delta : bits(b, begin, (long) i * width, width);
                    into[n++] = value += width > 0 && delta < 0 ? -more : more;
                }
            } else { // patched, which needs many numbers
                throw OrcChunks.bad();
            }
        }
        if (at.at != in.size) throw OrcChunks.bad();
    }

    /** Write lengths, which need not be short. */
    static void put(int[] numbers, int count, Output to) {
        for (int from = 0; from < count; from += LONGEST) {
            int length = Math.min(LONGEST, count - from);
            to.put(DIRECT << 6 | OF_32_BITS << 1 | length - 1 >> 8);
            to.put(length - 1);
            for (int n = from; n < from + length; n++) to.putLowInt(Integer.reverseBytes(numbers[n]));
        }
    }

    /** Read so many bytes, which are all that there is, and append them. */
    static void bytes(Output in, Output into, int count) {
        into.room(count);
        int at = 0, end = into.size + count;
        while (into.size < end) {
            if (at == in.size) throw OrcChunks.bad();
            int head = in.bytes[at++], length = head < 0 ? -head : head + LEAST_RUN;
            if (length > end - into.size || (head < 0 ? length : 1) > in.size - at) throw OrcChunks.bad();
            if (head < 0) {
                into.put(in.bytes, at, length);
                at += length;
            } else {
                Arrays.fill(into.bytes, into.size, into.size + length, in.bytes[at++]);
                into.size += length;
            }
        }
        if (at != in.size) throw OrcChunks.bad();
    }

    /** Write bits, which are a byte each. */
    static void bits(Output given, Output to) {
        int count = (given.size + 7) / 8;
        byte[] packed = new byte[count];
        for (int n = 0; n < given.size; n++) packed[n / 8] |= (byte) (given.bytes[n] << 7 - n % 8);
        int at = 0;
        while (at < count) {
            int run = 1;
            while (run < MOST_RUN && at + run < count && packed[at + run] == packed[at]) run++;
            if (run >= LEAST_RUN) {
                to.put(run - LEAST_RUN);
                to.put(packed[at]);
                at += run;
            } else {
                int length = Math.min(MOST_LITERALS, count - at);
                to.put(-length);
                to.put(packed, at, length);
                at += length;
            }
        }
    }

    private static long zigzag(long number) {
        return number >>> 1 ^ -(number & 1);
    }

    /** A number of bits, the highest first. */
    private static long bits(byte[] b, int at, long bit, int width) {
        long found = 0;
        int place = at + (int) (bit >>> 3), skipped = (int) bit & 7;
        for (int left = width; left > 0; place++) {
            int taken = Math.min(left, 8 - skipped);
            found = found << taken | (b[place] & 0xff) >> 8 - skipped - taken & (1 << taken) - 1;
            left -= taken;
            skipped = 0;
        }
        return found;
    }

    private static final class Position {
        private final byte[] b;
        private final int to;
        int at;

        Position(byte[] b, int to) {
            this.b = b;
            this.to = to;
        }

        int next() {
            if (at == to) throw OrcChunks.bad();
            return b[at++] & 0xff;
        }

        /** Go behind so many bits; where they begin. */
        int ahead(long bits) {
            int begin = at;
            if ((bits + 7) / 8 > to - at) throw OrcChunks.bad();
            at += (int) ((bits + 7) / 8);
            return begin;
        }

        long varint() {
            long found = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                int next = next();
                found |= (long) (next & 0x7f) << shift;
                if (next < 0x80) return found;
            }
            throw OrcChunks.bad();
        }
    }
}
