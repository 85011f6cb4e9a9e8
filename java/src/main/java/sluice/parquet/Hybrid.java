package sluice.parquet;

/**
 * Parquet's form for small numbers: what comes eight times or more is said once with how often, the
 * rest is packed, eight numbers at a time.
 */
final class Hybrid {
    private static final int GROUP = 8;

    private Hybrid() {}

    /** The bits that the numbers up to a highest one need. */
    static int width(int highest) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(highest);
    }

    static void put(int[] numbers, int count, int width, Bytes to) {
        int at = 0;
        while (at < count) {
            int run = run(numbers, at, count);
            if (run >= GROUP) {
                to.putVarint(run << 1);
                to.put(numbers[at], (width + 7) / 8);
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

    /** How often the number at a place comes there. */
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

    private static void pack(int[] numbers, int from, int end, int count, int width, Bytes to) {
        to.room((end - from) / GROUP * width);
        byte[] array = to.array;
        int size = to.size;
        long held = 0;
        int bits = 0;
        for (int at = from; at < end; at++) {
            if (at < count) {
                held |= (long) numbers[at] << bits;
            }
            bits += width;
            while (bits >= 8) {
                array[size++] = (byte) held;
                held >>>= 8;
                bits -= 8;
            }
        }
        to.size = size;
    }
}
