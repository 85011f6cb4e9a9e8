package sluice.binary;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import sluice.scan.BadValue;
import sluice.scan.Cursor;

/** A position in a binary message, its lowest bytes first: a length is believed only if so many bytes are there. */
final class BinaryCursor extends Cursor {
    private static final int LONGEST = 10; // bytes of a VarUInt
    private static final int DEEPEST = 300; // values within each other whose types are in the message
    private static final VarHandle SHORT = handle(short[].class);
    private static final VarHandle INT = handle(int[].class);
    private static final VarHandle LONG = handle(long[].class);

    Fields fields; // of the rows of this message
    String[] names; // those in its header
    String[] types;
    boolean named; // whether all of the names are read
    private int depth;

    BinaryCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }

    private static VarHandle handle(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /** Consume so many bytes; where they begin. */
    int take(long count) {
        if (count < 0 || count > end - at) throw tooShort(count);
        int first = at;
        at += (int) count;
        return first;
    }

    /** A length or a count that is larger than the rest of the message. */
    BadValue tooShort(long count) {
        return new BadValue("Cannot read all data. Bytes read: " + (end - at) + ". Bytes expected: "
            + Long.toUnsignedString(count) + " (at byte " + at + ")");
    }

    byte one() {
        if (at == end) throw tooShort(1);
        return bytes[at++];
    }

    short two() {
        return (short) SHORT.get(bytes, take(2));
    }

    int four() {
        return (int) INT.get(bytes, take(4));
    }

    long eight() {
        return (long) LONG.get(bytes, take(8));
    }

    static int four(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    static long eight(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    /** A VarUInt: seven bits in each byte. */
    long number() {
        long found = 0;
        for (int i = 0; i < LONGEST; i++) {
            if (at == end) throw new BadValue("Attempt to read after eof (at byte " + at + ")");
            byte b = bytes[at++];
            found |= (b & 0x7fL) << 7 * i;
            if (b >= 0) break;
        }
        return found;
    }

    /** Read a text; it is then between {@code from} and {@code to}. */
    void string(long most) {
        int first = at;
        long length = at < end && bytes[at] >= 0 ? bytes[at++] : number();
        if (Long.compareUnsigned(length, most) > 0) {
            throw new BadValue("Too large string size: " + Long.toUnsignedString(length) + ". The maximum is: " + most
                + ". To increase the maximum, use setting format_binary_max_string_size (at byte " + first + ")");
        }
        int from = take(length);
        slice(from, at);
    }

    /** Begin a value that may hold others of its kind. */
    void enter() {
        if (++depth > DEEPEST) throw new BadValue("More than " + DEEPEST + " values within each other (at byte " + at + ")");
    }

    /** Have read one. */
    void leave() {
        depth--;
    }

    /** How many values follow, each of so many bytes at least. */
    int count(long most, int least) {
        int first = at;
        long count = number();
        if (Long.compareUnsigned(count, most) > 0) {
            throw new BadValue("Too large array size: " + Long.toUnsignedString(count) + ". The maximum is: " + most
                + ". To increase the maximum, use setting format_binary_max_array_size (at byte " + first + ")");
        }
        if (least == 0 && count != 0) throw new BadValue("Values without bytes cannot be counted (at byte " + first + ")");
        if (Long.compareUnsigned(count, (end - at) / Math.max(least, 1)) > 0) throw tooShort(count);
        return (int) count;
    }
}
