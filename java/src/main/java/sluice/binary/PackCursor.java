package sluice.binary;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import sluice.scan.BadValue;
import sluice.scan.Cursor;

/** A position in a message of MessagePack: an object's kind, and then what it holds. */
final class PackCursor extends Cursor {
    /** What an object is, in ClickHouse's words for errors. */
    enum Kind {
        NULL("null"), INTEGER("integer"), FLOAT32("float32"), FLOAT64("float64"), STRING("string"), BINARY("string"),
        ARRAY("array"), MAP("map"), EXTENSION("extension");

        final String called;

        Kind(String called) {
            this.called = called;
        }
    }

    static final int NIL = 0xC0;

    private static final VarHandle SHORT = handle(short[].class);
    private static final VarHandle INT = handle(int[].class);
    private static final VarHandle LONG = handle(long[].class);

    Kind kind;
    long number; // an INTEGER, or the bits of a float
    boolean large; // whether the number is unsigned and has all of its 64 bits
    int count; // of the objects in an ARRAY or a MAP
    byte extension; // its type

    PackCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }

    private static VarHandle handle(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.BIG_ENDIAN);
    }

    /** Consume a NULL if it comes next. */
    boolean tookNil() {
        if (at == end || (bytes[at] & 0xFF) != NIL) return false;
        at++;
        return true;
    }

    /** Read the object that comes next; of one that holds others only how many these are. */
    Kind next() {
        int tag = bytes[take(1)] & 0xFF;
        large = false;
        if (tag < 0x80) return integer(tag);
        if (tag < 0x90) return holder(Kind.MAP, tag & 0x0F);
        if (tag < 0xA0) return holder(Kind.ARRAY, tag & 0x0F);
        if (tag < 0xC0) return text(Kind.STRING, tag & 0x1F);
        if (tag >= 0xE0) return integer((byte) tag);
        switch (tag) {
            case NIL: return kind = Kind.NULL;
            case 0xC2: return integer(0);
            case 0xC3: return integer(1);
            case 0xC4: return text(Kind.BINARY, one());
            case 0xC5: return text(Kind.BINARY, two());
            case 0xC6: return text(Kind.BINARY, four());
            case 0xC7: return extension(one());
            case 0xC8: return extension(two());
            case 0xC9: return extension(four());
            case 0xCA: return number(Kind.FLOAT32, four());
            case 0xCB: return number(Kind.FLOAT64, eight());
            case 0xCC: return integer(one());
            case 0xCD: return integer(two());
            case 0xCE: return integer(four());
            case 0xCF:
                integer(eight());
                large = number < 0;
                return kind;
            case 0xD0: return integer((byte) one());
            case 0xD1: return integer((short) two());
            case 0xD2: return integer((int) four());
            case 0xD3: return integer(eight());
            case 0xD4:
            case 0xD5:
            case 0xD6:
            case 0xD7:
            case 0xD8: return extension(1 << tag - 0xD4);
            case 0xD9: return text(Kind.STRING, one());
            case 0xDA: return text(Kind.STRING, two());
            case 0xDB: return text(Kind.STRING, four());
            case 0xDC: return holder(Kind.ARRAY, two());
            case 0xDD: return holder(Kind.ARRAY, four());
            case 0xDE: return holder(Kind.MAP, two());
            case 0xDF: return holder(Kind.MAP, four());
            default: throw new BadValue("Error occurred while parsing msgpack data (at byte " + (at - 1) + ")");
        }
    }

    private int take(long count) {
        if (count > end - at) throw tooShort();
        int first = at;
        at += (int) count;
        return first;
    }

    BadValue tooShort() {
        return new BadValue("Unexpected end of file while parsing msgpack object (at byte " + at + ")");
    }

    private int one() {
        return bytes[take(1)] & 0xFF;
    }

    private int two() {
        return (short) SHORT.get(bytes, take(2)) & 0xFFFF;
    }

    private long four() {
        return (int) INT.get(bytes, take(4)) & 0xFFFFFFFFL;
    }

    private long eight() {
        return (long) LONG.get(bytes, take(8));
    }

    static long eight(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    private Kind integer(long found) {
        return number(Kind.INTEGER, found);
    }

    private Kind number(Kind found, long bits) {
        number = bits;
        return kind = found;
    }

    private Kind text(Kind found, long length) {
        int first = take(length);
        slice(first, at);
        return kind = found;
    }

    private Kind extension(long length) {
        extension = bytes[take(1)];
        return text(Kind.EXTENSION, length);
    }

    /** Every object that it holds has a byte at least. */
    private Kind holder(Kind found, long held) {
        if (held > end - at) throw tooShort();
        count = (int) held;
        return kind = found;
    }
}
