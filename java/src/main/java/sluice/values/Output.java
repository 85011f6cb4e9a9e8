package sluice.values;

import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** The bytes of a message that is being written. */
public final class Output {
    public byte[] bytes;
    public int size;

    public Output() {
        this(256);
    }

    /** With room for so many bytes at first. */
    public Output(int room) {
        bytes = new byte[room];
    }

    /** Make room for so many bytes more. */
    public void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }

    public void put(int b) {
        if (size == bytes.length) room(1);
        bytes[size++] = (byte) b;
    }

    public void put(byte[] text) {
        room(text.length);
        System.arraycopy(text, 0, bytes, size, text.length);
        size += text.length;
    }

    /** A text of ASCII alone. */
    public void put(String ascii) {
        int length = ascii.length();
        room(length);
        for (int i = 0; i < length; i++) bytes[size++] = (byte) ascii.charAt(i);
    }

    public void put(UTF8String text) {
        int length = text.numBytes();
        room(length);
        text.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + (long) size);
        size += length;
    }

    public void put(long number) {
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
    public void padded(int number, int width) {
        room(width);
        for (int i = width - 1; i >= 0; i--) {
            bytes[size + i] = (byte) ('0' + number % 10);
            number /= 10;
        }
        size += width;
    }

    public byte[] message() {
        return Arrays.copyOf(bytes, size);
    }
}
