package sluice;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** The bytes of a message that is being written. */
final class Out {
    byte[] bytes;
    int size;

    Out() {
        this(256);
    }

    /** With room for so many bytes at first. */
    Out(int room) {
        bytes = new byte[room];
    }

    /** Make room for so many bytes more. */
    void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }

    void put(int b) {
        if (size == bytes.length) room(1);
        bytes[size++] = (byte) b;
    }

    void put(byte[] text) {
        room(text.length);
        System.arraycopy(text, 0, bytes, size, text.length);
        size += text.length;
    }

    /** A text of ASCII alone. */
    void put(String ascii) {
        int length = ascii.length();
        room(length);
        for (int i = 0; i < length; i++) bytes[size++] = (byte) ascii.charAt(i);
    }

    void put(UTF8String text) {
        int length = text.numBytes();
        room(length);
        text.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + (long) size);
        size += length;
    }

    void put(long number) {
        room(20);
        if (number < 0) {
            bytes[size++] = '-';
            if (number == Long.MIN_VALUE) {
                put("9223372036854775808");
                return;
            }
            number = -number;
        }
        int end = size + digits(number);
        size = end;
        do {
            bytes[--end] = (byte) ('0' + number % 10);
            number /= 10;
        } while (number != 0);
    }

    private static int digits(long number) {
        int count = 1;
        for (long most = 10; number >= most; most *= 10) {
            if (++count == 19) break;
        }
        return count;
    }

    /** A number with zeros before it, up to a width. */
    void padded(int number, int width) {
        room(width);
        for (int i = width - 1; i >= 0; i--) {
            bytes[size + i] = (byte) ('0' + number % 10);
            number /= 10;
        }
        size += width;
    }

    byte[] message() {
        return Arrays.copyOf(bytes, size);
    }
}
