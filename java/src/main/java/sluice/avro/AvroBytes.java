package sluice.avro;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.avro.io.Decoder;
import org.apache.avro.util.Utf8;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;

/** Avro's binary encoding over a message: a length is believed only if so many bytes are there. */
final class AvroBytes extends Decoder {
    private final byte[] bytes;
    private final int end;
    private final int length;
    private int at;

    AvroBytes(byte[] message, int from) {
        this(message, from, message.length);
    }

    AvroBytes(byte[] message, int from, int to) {
        bytes = message;
        at = from;
        end = to;
        length = to - from;
    }

    /** The bytes that this is a part of. */
    byte[] all() {
        return bytes;
    }

    /** How many bytes are left. */
    int left() {
        return end - at;
    }

    /** Pass over so many bytes; where they begin. */
    int skip(long count) {
        return take(count);
    }

    /** Go to the bytes of a text; where they begin, which is as many before the new position as they are. */
    int slice() {
        return take(readLong());
    }

    /** The position. */
    int at() {
        return at;
    }

    /** Fail if the record is not all there is. */
    void finish() {
        if (at < end) throw new BadValue(end - at + " bytes follow the record");
    }

    private static BadValue tooShort() {
        return new BadValue("The message ends within its record");
    }

    private int take(long count) {
        if (count < 0) throw new BadValue("Malformed data. Length is negative: " + count);
        if (count > end - at) throw tooShort();
        int first = at;
        at += (int) count;
        return first;
    }

    @Override
    public long readLong() {
        long found = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == end) throw tooShort();
            byte b = bytes[at++];
            found |= (b & 0x7FL) << shift;
            if (b >= 0) return found >>> 1 ^ -(found & 1);
        }
        throw new BadValue("Invalid long encoding");
    }

    @Override
    public int readInt() {
        long found = readLong();
        if (found != (int) found) throw new BadValue("Invalid int encoding");
        return (int) found;
    }

    @Override
    public boolean readBoolean() {
        byte b = bytes[take(1)];
        if (b != 0 && b != 1) throw new BadValue("Invalid boolean encoding");
        return b == 1;
    }

    private int fixed(int from) {
        return bytes[from] & 0xFF | (bytes[from + 1] & 0xFF) << 8 | (bytes[from + 2] & 0xFF) << 16
            | (bytes[from + 3] & 0xFF) << 24;
    }

    @Override
    public float readFloat() {
        return Float.intBitsToFloat(fixed(take(4)));
    }

    @Override
    public double readDouble() {
        int first = take(8);
        return Double.longBitsToDouble(fixed(first) & 0xFFFFFFFFL | (long) fixed(first + 4) << 32);
    }

    /** A text, as a part of the message. */
    UTF8String text() {
        long length = readLong();
        int first = take(length);
        return UTF8String.fromBytes(bytes, first, (int) length);
    }

    @Override
    public Utf8 readString(Utf8 old) {
        return new Utf8(text().getBytes());
    }

    @Override
    public String readString() {
        return text().toString();
    }

    @Override
    public void skipString() {
        take(readLong());
    }

    @Override
    public ByteBuffer readBytes(ByteBuffer old) {
        long length = readLong();
        int first = take(length);
        return ByteBuffer.wrap(Arrays.copyOfRange(bytes, first, first + (int) length));
    }

    @Override
    public void skipBytes() {
        take(readLong());
    }

    @Override
    public void readFixed(byte[] into, int start, int length) {
        System.arraycopy(bytes, take(length), into, start, length);
    }

    @Override
    public void skipFixed(int length) {
        take(length);
    }

    @Override
    public void readNull() {}

    @Override
    public int readEnum() {
        return readInt();
    }

    @Override
    public int readIndex() {
        return readInt();
    }

    private long items; // of all arrays and maps so far

    /**
     * How many items the next block of an array or a map has; 0 for none. All of a message's have no more than
     * there are bytes, even if an item is none: else a few bytes could stand for any number of them.
     */
    long items() {
        long count = readLong();
        if (count < 0) {
            readLong(); // how many bytes they are
            count = -count;
        }
        return counted(count);
    }

    private long counted(long count) {
        if (count < 0 || count > length - items) throw tooShort();
        items += count;
        return count;
    }

    /** The branch of a union of so many. */
    int branch(int count) {
        return index(count, "union");
    }

    /** An index of a union or an enum. */
    int index(int count, String what) {
        long found = readLong();
        if (found < 0 || found >= count) throw new BadValue(what + " index out of range: " + found);
        return (int) found;
    }

    @Override
    public long readArrayStart() {
        return items();
    }

    @Override
    public long arrayNext() {
        return items();
    }

    @Override
    public long readMapStart() {
        return items();
    }

    @Override
    public long mapNext() {
        return items();
    }

    /** Pass over blocks that say how long they are; how many items one has that does not. */
    private long skipped() {
        while (true) {
            long count = readLong();
            if (count >= 0) return counted(count);
            take(readLong());
        }
    }

    @Override
    public long skipArray() {
        return skipped();
    }

    @Override
    public long skipMap() {
        return skipped();
    }
}
