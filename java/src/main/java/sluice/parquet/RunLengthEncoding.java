package sluice.parquet;

import sluice.values.Output;

/** Parquet's RLE/bit-packing hybrid: eight or more equal numbers are an RLE run, others are bit-packed. */
public final class RunLengthEncoding {
    private static final int GROUP = 8;

    private RunLengthEncoding() {}

    /** The bit width of the numbers up to a highest one. */
    public static int width(int highest) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(highest);
    }

    public static void put(int[] numbers, int count, int width, Output to) {
        int at = 0;
        while (at < count) {
            int run = run(numbers, at, count);
            if (run >= GROUP) {
                to.putVarint(run << 1);
                to.putLow(numbers[at], (width + 7) / 8);
                at += run;
            } else {
                int end = at + GROUP;
                while (end < count && !repeats(numbers, end, count)) {
                    end += GROUP;
                }
                to.putVarint((end - at) / GROUP << 1 | 1);
                pack(numbers, at, end, count, width, to);
                at = Math.min(end, count);
            }
        }
    }

    /** The length of the run of equal numbers from a position on. */
    private static int run(int[] numbers, int at, int count) {
        int end = at + 1;
        while (end < count && numbers[end] == numbers[at]) {
            end++;
        }
        return end - at;
    }

    private static boolean repeats(int[] numbers, int at, int count) {
        if (count - at < GROUP) {
            return false;
        }
        int first = numbers[at];
        for (int n = 1; n < GROUP; n++) {
            if (numbers[at + n] != first) {
                return false;
            }
        }
        return true;
    }

    private static void pack(int[] numbers, int from, int end, int count, int width, Output to) {
        to.room((end - from) / GROUP * width);
        byte[] array = to.bytes;
        int size = to.size;
        long packed = 0;
        int bits = 0;
        for (int at = from; at < end; at++) {
            if (at < count) {
                packed |= (long) numbers[at] << bits;
            }
            bits += width;
            while (bits >= 8) {
                array[size++] = (byte) packed;
                packed >>>= 8;
                bits -= 8;
            }
        }
        to.size = size;
    }
}
