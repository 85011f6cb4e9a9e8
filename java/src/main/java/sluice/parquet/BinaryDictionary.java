package sluice.parquet;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import sluice.scan.ByteRanges;
import sluice.values.Output;

/** A dictionary of strings, or of values of a fixed length. */
final class BinaryDictionary extends Dictionary {
    private final int head;
    private int[] ends = new int[256];
    private int[] hashes = new int[256];
    private final Output values = new Output(512);

    /** With {@code lengths} each value has its length before it, as PLAIN has those of BYTE_ARRAY. */
    BinaryDictionary(boolean lengths) {
        head = lengths ? 4 : 0;
    }

    /** The index of a value, which is added if it is new. */
    int index(byte[] from, int at, int length) {
        int hash = hash(from, Platform.BYTE_ARRAY_OFFSET + at, length);
        int mask = slots.length - 1;
        int slot = hash & mask;
        int found;
        while ((found = slots[slot]) != 0) {
            int index = found - 1;
            if (hashes[index] == hash && equal(index, from, at, length)) {
                return index;
            }
            slot = slot + 1 & mask;
        }
        keep(hash, from, at, length);
        return add(slot);
    }

    private boolean equal(int index, byte[] from, int at, int length) {
        int begin = (index == 0 ? 0 : ends[index - 1]) + head;
        return ends[index] - begin == length
                && ByteRanges.same(values.bytes, begin, from, at, length);
    }

    private void keep(int hash, byte[] from, int at, int length) {
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        if (head > 0) {
            values.putLowInt(length);
        }
        values.put(from, at, length);
        ends[size] = values.size;
        hashes[size] = hash;
    }

    @Override
    int bytes() {
        return values.size;
    }

    @Override
    Output values() {
        return values;
    }

    @Override
    int hash(int index) {
        return hashes[index];
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
