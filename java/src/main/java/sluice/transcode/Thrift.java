package sluice.transcode;

import java.util.function.IntConsumer;
import sluice.scan.BadValue;

/** Reads structs of Thrift's compact protocol, in which footers and the heads of pages of Parquet are written. */
final class Thrift {
    static final int FALSE = 2, I16 = 4, I32 = 5, I64 = 6, LIST = 9, STRUCT = 12;
    private static final int TRUE = 1, BYTE = 3, DOUBLE = 7, BINARY = 8, SET = 10, MAP = 11;
    private static final int DEPTH = 32;

    final byte[] bytes;
    private final int to;
    int at;
    /** The type of the field that a struct is at, and where its value begins. */
    int type;

    Thrift(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.to = to;
    }

    /** Give the ids of a struct's fields; what does not read a field's value lets it be skipped. */
    void struct(IntConsumer field) {
        int id = 0;
        while (true) {
            int head = next();
            if (head == 0) return;
            int kind = head & 15;
            id = head >> 4 == 0 ? (short) number() : id + (head >> 4);
            int before = at;
            type = kind;
            field.accept(id);
            if (at == before) skip(kind, 0);
        }
    }

    /** The number of a list's structs, which follow. */
    int structs() {
        expect(LIST);
        int head = next();
        if ((head & 15) != STRUCT) throw bad();
        return size(head >> 4);
    }

    /** The value of a field that is a number. */
    long number(int wanted) {
        expect(wanted);
        return number();
    }

    /** The value of a field that is a number of 32 bits and not negative. */
    int size() {
        long found = number(I32);
        if (found < 0 || found > Integer.MAX_VALUE) throw bad();
        return (int) found;
    }

    void expect(int wanted) {
        if (type != wanted) throw bad();
    }

    private long number() {
        long found = varint();
        return found >>> 1 ^ -(found & 1);
    }

    private int size(int told) {
        long size = told == 15 ? varint() : told;
        if (size < 0 || size > to - at) throw bad(); // each is a byte at least
        return (int) size;
    }

    private long varint() {
        long found = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = next();
            found |= (long) (next & 0x7f) << shift;
            if (next < 0x80) return found;
        }
        throw bad();
    }

    void skip(int kind, int depth) {
        if (depth > DEPTH) throw bad();
        switch (kind) {
            case TRUE, FALSE -> { }
            case BYTE -> ahead(1);
            case I16, I32, I64 -> varint();
            case DOUBLE -> ahead(8);
            case BINARY -> ahead(varint());
            case LIST, SET -> {
                int head = next();
                for (int left = size(head >> 4); left > 0; left--) skipItem(head & 15, depth);
            }
            case MAP -> {
                int left = size((int) Math.min(varint(), Integer.MAX_VALUE));
                int kinds = left == 0 ? 0 : next();
                for (; left > 0; left--) {
                    skipItem(kinds >> 4, depth);
                    skipItem(kinds & 15, depth);
                }
            }
            case STRUCT -> {
                for (int head = next(); head != 0; head = next()) {
                    if (head >> 4 == 0) varint();
                    skip(head & 15, depth + 1);
                }
            }
            default -> throw bad();
        }
    }

    private void skipItem(int kind, int depth) {
        skip(kind == TRUE || kind == FALSE ? BYTE : kind, depth + 1);
    }

    private void ahead(long count) {
        if (count < 0 || count > to - at) throw bad();
        at += (int) count;
    }

    private int next() {
        if (at >= to) throw bad();
        return bytes[at++] & 0xff;
    }

    static BadValue bad() {
        return new BadValue("It is no struct of Thrift, or not that of Parquet");
    }
}
