package sluice.parquet;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;

/** Bytes that become more, numbers with the lowest byte first. */
final class Bytes {
    byte[] array = new byte[512];
    int size;

    /** Make room for more bytes. */
    void room(int more) {
        if (array.length - size < more) {
            array = Arrays.copyOf(array, Math.max(Math.addExact(size, more), array.length * 2));
        }
    }

    void put(int one) {
        room(1);
        array[size++] = (byte) one;
    }

    void putInt(int number) {
        room(4);
        Platform.putInt(array, Platform.BYTE_ARRAY_OFFSET + size, number);
        size += 4;
    }

    void putLong(long number) {
        room(8);
        Platform.putLong(array, Platform.BYTE_ARRAY_OFFSET + size, number);
        size += 8;
    }

    /** The lowest bytes of a number. */
    void put(long number, int width) {
        for (int n = 0; n < width; n++) {
            put((int) (number >>> (8 * n)));
        }
    }

    /** A number in as many bytes as it needs, seven bits in each. */
    void putVarint(int number) {
        while ((number & ~0x7f) != 0) {
            put(number & 0x7f | 0x80);
            number >>>= 7;
        }
        put(number);
    }

    void put(byte[] from, int at, int length) {
        room(length);
        System.arraycopy(from, at, array, size, length);
        size += length;
    }

    /** Put a number where there is room for one already. */
    void setInt(int at, int number) {
        Platform.putInt(array, Platform.BYTE_ARRAY_OFFSET + at, number);
    }
}
