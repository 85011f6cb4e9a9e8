package sluice.protobuf;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;

/** A position in a message on the wire; nothing is read after {@code end}, which is that of the innermost message. */
public final class ProtoCursor {
    public static final int VARINT = 0, FIXED64 = 1, BYTES = 2, GROUP = 3, GROUP_END = 4, FIXED32 = 5;
    private static final int DEEPEST = 100; // as other readers of Protobuf have it
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    final byte[] bytes;
    final boolean lenient;
    public int at;
    public int end;
    private int depth;

    ProtoCursor(byte[] bytes) {
        this(bytes, false);
    }

    /** A message that is a part of an array. */
    public ProtoCursor(byte[] bytes, int from, int to) {
        this(bytes, false);
        at = from;
        end = to;
    }

    /** {@code lenient}: a field with another wire type than its own is an unknown one, as Java's Protobuf has it. */
    ProtoCursor(byte[] bytes, boolean lenient) {
        this.bytes = bytes;
        this.end = bytes.length;
        this.lenient = lenient;
    }

    /** What is no message of the schema. */
    static BadValue corrupted(String why) {
        return new BadValue("Protobuf messages are corrupted or don't match the provided schema: " + why);
    }

    private static BadValue truncated() {
        return corrupted("the message ends within a field");
    }

    public long varint() {
        if (at < end) {
            byte first = bytes[at];
            if (first >= 0) {
                at++;
                return first;
            }
        }
        return longer();
    }

    private long longer() {
        long found = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= end) throw truncated();
            byte b = bytes[at++];
            found |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                if (shift == 63 && b > 1) break;
                return found;
            }
        }
        throw corrupted("a number of more than ten bytes");
    }

    /** The number and the wire type of the field that comes next. */
    public int key() {
        long key = varint();
        if (key >>> 32 != 0 || key >>> 3 == 0) throw corrupted("a field with the number " + (key >>> 3));
        return (int) key;
    }

    /** The value of a field that has to be a number. */
    public long number(int key) {
        if ((key & 7) != VARINT) throw corrupted("a field with the wire type " + (key & 7));
        return varint();
    }

    /** Go to the begin of a field that has to be bytes or a message; where it ends. */
    public int bytesEnd(int key) {
        if ((key & 7) != BYTES) throw corrupted("a field with the wire type " + (key & 7));
        return bytesEnd();
    }

    /** The end of the bytes that come next. */
    public int bytesEnd() {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw corrupted("a field of " + Long.toUnsignedString(length) + " bytes where " + (end - at) + " are left");
        }
        return at + (int) length;
    }

    long fixed64() {
        if (end - at < 8) throw truncated();
        long found = (long) LONGS.get(bytes, at);
        at += 8;
        return found;
    }

    int fixed32() {
        if (end - at < 4) throw truncated();
        int found = (int) INTS.get(bytes, at);
        at += 4;
        return found;
    }

    UTF8String text() {
        int to = bytesEnd();
        UTF8String found = UTF8String.fromBytes(bytes, at, to - at);
        at = to;
        return found;
    }

    /** An integer, as bits; a boolean or the number of an enum too. */
    long whole(FieldType type) {
        switch (type) {
            case INT64: case UINT64: case INT32: case UINT32: case ENUM: case BOOL: return varint();
            case SINT32: case SINT64:
                long zigzag = varint();
                return zigzag >>> 1 ^ -(zigzag & 1);
            case FIXED32: return fixed32() & 0xffffffffL;
            case SFIXED32: return fixed32();
            case FIXED64: case SFIXED64: return fixed64();
            default: throw new IllegalStateException(type.name());
        }
    }

    double floating(FieldType type) {
        return type == FieldType.FLOAT ? Float.intBitsToFloat(fixed32()) : Double.longBitsToDouble(fixed64());
    }

    /** Go into a message; what its end was, for {@link #leave}. A group ends where its end is found. */
    int enter(int wire) {
        if (++depth > DEEPEST) throw corrupted("more than " + DEEPEST + " messages within each other");
        int outer = end;
        if (wire == BYTES) end = bytesEnd();
        return outer;
    }

    void leave(int outer) {
        depth--;
        end = outer;
    }

    /** Skip a field whose key has been read. */
    public void skip(int key) {
        int open = 0;
        int next = key;
        while (true) {
            switch (next & 7) {
                case VARINT: varint(); break;
                case FIXED64: fixed64(); break;
                case BYTES: at = bytesEnd(); break;
                case FIXED32: fixed32(); break;
                case GROUP:
                    if (++open + depth > DEEPEST) throw corrupted("more than " + DEEPEST + " messages within each other");
                    break;
                case GROUP_END:
                    if (open == 0) throw corrupted("the end of a group that has not begun");
                    open--;
                    break;
                default: throw corrupted("a field with the wire type " + (next & 7));
            }
            if (open == 0) return;
            next = key();
        }
    }
}
