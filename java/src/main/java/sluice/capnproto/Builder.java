package sluice.capnproto;

import org.apache.spark.unsafe.Platform;
import sluice.values.Output;

/** Writes messages of one segment each, one after another. */
final class Builder {
    private static final int WORD = 8;
    private static final int STRUCT = 0, LIST = 1, COMPOSITE = 7;

    final Output out = new Output();
    private int header;

    /** Where a struct that is written, or an element, has its data and its pointers. */
    record Spot(int data, int pointers, int bit) {}

    /** A list that is written: its first element, their number and the bits from one to the next; data are in words. */
    record Items(int first, int count, int stride, int data) {
        Spot element(int i) {
            long place = (long) i * stride;
            int at = first + (int) (place >> 3);
            return new Spot(at, at + data * WORD, (int) (place & 7));
        }
    }

    /** Begin a message; where its root is. */
    Spot begin(Schema.Struct root) {
        header = out.size;
        int at = room(2);
        return struct(at + WORD, root);
    }

    /** Have written it: say how long its segment is. */
    void end() {
        out.setLowInt(header + 4, (out.size - header - WORD) / WORD);
    }

    /** So many words of zeros at the end. */
    private int room(int words) {
        int at = out.size;
        int bytes = Math.multiplyExact(words, WORD);
        out.room(bytes);
        java.util.Arrays.fill(out.bytes, at, at + bytes, (byte) 0);
        out.size += bytes;
        return at;
    }

    private void point(int from, int to, int kind, long rest) {
        long offset = (to - from - WORD) / WORD;
        set(from, (offset << 2 | kind) & 0xffffffffL | rest << 32);
    }

    private void set(int at, long value) {
        Platform.putLong(out.bytes, Platform.BYTE_ARRAY_OFFSET + (long) at, value);
    }

    private long get(int at) {
        return Platform.getLong(out.bytes, Platform.BYTE_ARRAY_OFFSET + (long) at);
    }

    /** Where the pointer at a place leads, if it was written before; or else negative. */
    private int known(int at) {
        long pointer = get(at);
        return pointer == 0 ? -1 : at + WORD + ((int) pointer >> 2) * WORD;
    }

    /** The struct that a pointer leads to, created if it is missing. */
    Spot struct(int at, Schema.Struct of) {
        int to = known(at);
        if (to < 0) {
            to = room(of.words + of.pointers);
            if (of.words + of.pointers == 0) set(at, 0xfffffffcL); // which a null pointer would not differ from
            else point(at, to, STRUCT, of.words | (long) of.pointers << 16);
        }
        return new Spot(to, to + of.words * WORD, 0);
    }

    /** The list that a pointer leads to, created if it is missing; null if it is and has another length. */
    Items list(int at, int count, Schema.Type item) {
        int to = known(at);
        if (item.kind() == Schema.Kind.STRUCT) return composite(at, to, count, item.struct());
        int stride = item.kind().isPointer() ? 64 : item.kind().width;
        if (to >= 0) return get(at) >>> 35 == count ? new Items(to, count, stride, 0) : null;
        to = room((int) (((long) count * stride + 63) / 64));
        int code = item.kind().isPointer() ? 6 : stride == 0 ? 0 : stride == 1 ? 1 : Integer.numberOfTrailingZeros(stride) - 1;
        point(at, to, LIST, code | (long) count << 3);
        return new Items(to, count, stride, 0);
    }

    private Items composite(int at, int known, int count, Schema.Struct of) {
        int size = of.words + of.pointers;
        if (known >= 0) return (int) get(known) >>> 2 == count ? new Items(known + WORD, count, 64 * size, of.words) : null;
        int words = Math.multiplyExact(count, size);
        int to = room(words + 1);
        point(at, to, LIST, COMPOSITE | (long) words << 3);
        set(to, (long) count << 2 | (long) of.words << 32 | (long) of.pointers << 48);
        return new Items(to + WORD, count, 64 * size, of.words);
    }

    /** Bytes that a pointer leads to; a text has a zero after it. */
    void blob(int at, byte[] from, int start, int length, boolean text) {
        int count = text ? length + 1 : length;
        int to = room((int) ((count + 7L) / WORD));
        System.arraycopy(from, start, out.bytes, to, length);
        point(at, to, LIST, 2 | (long) count << 3);
    }

    /** Set the bits of a field. */
    void field(Spot in, int offset, int width, long bits) {
        byte[] bytes = out.bytes;
        if (width == 1) {
            int bit = in.bit + offset;
            int at = in.data + (bit >> 3);
            int mask = 1 << (bit & 7);
            bytes[at] = (byte) (bits == 0 ? bytes[at] & ~mask : bytes[at] | mask);
            return;
        }
        int at = in.data + offset * (width / 8);
        for (int i = 0; i < width / 8; i++) bytes[at + i] = (byte) (bits >>> 8 * i);
    }
}
