package sluice.values;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.Utf8;

/** A growing array of bytes: a message, or a page of a Parquet file. */
public final class Output {
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);

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
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
        }
    }

    public void put(int b) {
        if (size == bytes.length) room(1);
        bytes[size++] = (byte) b;
    }

    public void put(byte[] text) {
        put(text, 0, text.length);
    }

    public void put(byte[] text, int from, int length) {
        room(length);
        System.arraycopy(text, from, bytes, size, length);
        size += length;
    }

    /** Put a quote; the position after it, for {@link #close}. */
    public int open(char quote) {
        put(quote);
        return size;
    }

    /** Escape what was put since a position, and put the closing quote. */
    public void close(int first, Escapes escapes, char quote) {
        escapes.from(this, first);
        put(quote);
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

    /** The lowest bytes of a number, the lowest first, here and below. */
    public void putLow(long number, int width) {
        for (int n = 0; n < width; n++) {
            put((int) (number >>> (8 * n)));
        }
    }

    public void putLowInt(int number) {
        room(4);
        size += 4;
        setLowInt(size - 4, number);
    }

    public void putLowLong(long number) {
        room(8);
        Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + size, number);
        size += 8;
    }

    /** Replace four bytes at a position. */
    public void setLowInt(int at, int number) {
        Platform.putInt(bytes, Platform.BYTE_ARRAY_OFFSET + at, number);
    }

    /** An unsigned LEB128 number: seven bits in each byte. */
    public void putVarint(int number) {
        while ((number & ~0x7f) != 0) {
            put(number & 0x7f | 0x80);
            number >>>= 7;
        }
        put(number);
    }

    /** Replace bytes that are no UTF-8: those that follow each other by one replacement character. */
    public void repair() {
        if (Utf8.valid(bytes, 0, size)) return;
        byte[] given = message();
        size = 0;
        boolean bad = false;
        for (int i = 0; i < given.length; ) {
            int next = Utf8.next(given, i, given.length);
            if (next > 0) put(given, i, next - i);
            else if (!bad) put(REPLACEMENT);
            bad = next < 0;
            i = bad ? i + 1 : next;
        }
    }

    public byte[] message() {
        return Arrays.copyOf(bytes, size);
    }
}
