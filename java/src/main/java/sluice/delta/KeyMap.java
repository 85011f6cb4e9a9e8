package sluice.delta;

import java.io.Serializable;

/**
 * A hash map from keys of one or two longs to a place, in plain arrays.
 *
 * <p>An entry takes 16 or 24 bytes, and about a third of the slots is free. It is cut into segments
 * that grow by themselves, so that growing never needs the memory of the whole once more.
 */
public final class KeyMap implements Serializable {
    /** The place of a key that is not there. */
    public static final long NONE = -1;

    private static final int SEGMENTS = 256;
    private static final int SMALLEST = 8;

    private final boolean wide;
    private final Segment[] segments = new Segment[SEGMENTS];

    /** With {@code wide} keys of two longs. */
    public KeyMap(boolean wide) {
        this.wide = wide;
        for (int n = 0; n < SEGMENTS; n++) {
            segments[n] = new Segment(wide, SMALLEST);
        }
    }

    /** The place of a key, or {@code NONE}. */
    public long find(long first, long second) {
        long mixed = mix(first, second);
        return segments[segment(mixed)].find(mixed, first, second);
    }

    /** Set the place of a key, which is not negative. */
    public void put(long first, long second, long place) {
        put(first, second, place, 0);
    }

    /** Set the place of a key, with those bits of the one it had that are in {@code kept}. */
    public void put(long first, long second, long place, long kept) {
        long mixed = mix(first, second);
        int at = segment(mixed);
        if (segments[at].full()) {
            segments[at] = segments[at].grown(this);
        }
        segments[at].put(mixed, first, second, place, kept);
    }

    /** Remove a key, if it is there. */
    public void remove(long first, long second) {
        long mixed = mix(first, second);
        segments[segment(mixed)].remove(this, mixed, first, second);
    }

    public long size() {
        long size = 0;
        for (Segment each : segments) {
            size += each.size;
        }
        return size;
    }

    /** The bytes that so many keys take. */
    public static long bytes(long keys, boolean wide) {
        return keys * (wide ? 24 : 16) * 3 / 2;
    }

    private static int segment(long mixed) {
        return (int) (mixed >>> 56);
    }

    private long mix(long first, long second) {
        long mixed = (wide ? first ^ Long.rotateLeft(second, 32) : first) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 32);
    }

    /** Keys in the order of their hashes, each in its slot or in the next ones; place 0 is free. */
    private static final class Segment implements Serializable {
        private final long[] first;
        private final long[] second;
        private final long[] place;
        private int size;

        Segment(boolean wide, int slots) {
            first = new long[slots];
            second = wide ? new long[slots] : null;
            place = new long[slots];
        }

        boolean full() {
            return size >= place.length - place.length / 4;
        }

        private int slot(long mixed) {
            return (int) (((mixed & 0xFFFFFFFFL) * place.length) >>> 32);
        }

        private int next(int slot) {
            return slot + 1 == place.length ? 0 : slot + 1;
        }

        /** The slot that has a key, or the free one where it would be. */
        private int locate(long mixed, long one, long two) {
            int at = slot(mixed);
            while (place[at] != 0 && (first[at] != one || (second != null && second[at] != two))) {
                at = next(at);
            }
            return at;
        }

        long find(long mixed, long one, long two) {
            return place[locate(mixed, one, two)] - 1;
        }

        void put(long mixed, long one, long two, long value, long kept) {
            int at = locate(mixed, one, two);
            long before = place[at] == 0 ? 0 : place[at] - 1;
            if (place[at] == 0) {
                size++;
                first[at] = one;
                if (second != null) {
                    second[at] = two;
                }
            }
            place[at] = (value | before & kept) + 1;
        }

        /** Free a slot, and move what would not be found any more into the gap. */
        void remove(KeyMap map, long mixed, long one, long two) {
            int gap = locate(mixed, one, two);
            if (place[gap] == 0) {
                return;
            }
            size--;
            place[gap] = 0;
            for (int at = next(gap); place[at] != 0; at = next(at)) {
                int home = slot(map.mix(first[at], second == null ? 0 : second[at]));
                boolean between = gap < at ? gap < home && home <= at : gap < home || home <= at;
                if (!between) {
                    first[gap] = first[at];
                    if (second != null) {
                        second[gap] = second[at];
                    }
                    place[gap] = place[at];
                    place[at] = 0;
                    gap = at;
                }
            }
        }

        Segment grown(KeyMap map) {
            Segment larger = new Segment(second != null, place.length + Math.max(SMALLEST, place.length / 4));
            for (int at = 0; at < place.length; at++) {
                if (place[at] != 0) {
                    long two = second == null ? 0 : second[at];
                    larger.put(map.mix(first[at], two), first[at], two, place[at] - 1, 0);
                }
            }
            return larger;
        }
    }
}
