package sluice.parquet;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import sluice.scan.ByteRanges;

/** Texts in the order in which they came. */
final class TextIds extends Ids {
    private final int head;
    private int[] ends = new int[256];
    private int[] hashes = new int[256];
    final Bytes bytes = new Bytes();

    /** With {@code lengths} each text is kept with its length before it, as Parquet has them. */
    TextIds(boolean lengths) {
        head = lengths ? 4 : 0;
    }

    /** The place of a text, which it gets if it has none. */
    int id(byte[] from, int at, int length) {
        int hash = hash(from, Platform.BYTE_ARRAY_OFFSET + at, length);
        int mask = slots.length - 1;
        int slot = hash & mask;
        int found;
        while ((found = slots[slot]) != 0) {
            int id = found - 1;
            if (hashes[id] == hash && equal(id, from, at, length)) {
                return id;
            }
            slot = slot + 1 & mask;
        }
        keep(hash, from, at, length);
        return add(slot);
    }

    private boolean equal(int id, byte[] from, int at, int length) {
        int begin = (id == 0 ? 0 : ends[id - 1]) + head;
        return ends[id] - begin == length
                && ByteRanges.same(bytes.array, begin, from, at, length);
    }

    private void keep(int hash, byte[] from, int at, int length) {
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        if (head > 0) {
            bytes.putInt(length);
        }
        bytes.put(from, at, length);
        ends[size] = bytes.size;
        hashes[size] = hash;
    }

    @Override
    int hash(int id) {
        return hashes[id];
    }

    private static int hash(byte[] base, long offset, int length) {
        long hash = length;
        long end = offset + length;
        while (end - offset >= 8) {
            hash = (hash ^ Platform.getLong(base, offset)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
            offset += 8;
        }
        if (end - offset >= 4) {
            hash = (hash ^ Platform.getInt(base, offset)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
            offset += 4;
        }
        while (offset < end) {
            hash = (hash ^ Platform.getByte(base, offset++)) * 0x9E3779B97F4A7C15L;
        }
        return (int) (hash ^ hash >>> 32);
    }
}
