package sluice.protobuf;

import sluice.values.Output;

/** How numbers and messages are written. */
public final class WireOutput {
    private WireOutput() {}

    public static void varint(long number, Output out) {
        out.room(10);
        long rest = number;
        while ((rest & ~0x7fL) != 0) {
            out.bytes[out.size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        out.bytes[out.size++] = (byte) rest;
    }

    public static void key(int number, int wire, Output out) {
        varint((long) number << 3 | wire, out);
    }

    private static int length(long number) {
        return 1 + (63 - Long.numberOfLeadingZeros(number | 1)) / 7;
    }

    /** Put the length of what was put since a position before it; with the key of a field, unless its number is 0. */
    public static void delimit(int first, int number, Output out) {
        int size = out.size - first;
        long key = (long) number << 3 | ProtoCursor.BYTES;
        int before = length(size) + (number == 0 ? 0 : length(key));
        out.room(before);
        System.arraycopy(out.bytes, first, out.bytes, first + before, size);
        out.size = first;
        if (number != 0) varint(key, out);
        varint(size, out);
        out.size += size;
    }
}
