package sluice.binary;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.binary.PackCursor.Kind;
import sluice.scan.BadValue;
import sluice.values.Output;

/** How values of one type are objects of MessagePack. Nothing is converted: an object of another kind is wrong. */
abstract class PackValue implements Serializable {
    private static final int FIXED = 32; // numbers below zero that are a byte
    final String type;
    private final Object zero;
    private boolean nullable;
    private boolean strict;

    /** The type's name for errors, and what Spark holds for its default. */
    PackValue(String type, Object zero) {
        this.type = type;
        this.zero = zero;
    }

    /** Whether values may be NULL, and if not, whether NULL is refused or the default. */
    PackValue with(boolean mayBeNull, boolean refused) {
        nullable = mayBeNull;
        strict = refused;
        return this;
    }

    /** The value of the object that was read last. */
    abstract Object held(PackCursor in);

    /** Write a value that is not NULL. */
    abstract void write(SpecializedGetters row, int at, Output out);

    /** The value that comes next, inside of another one. */
    final Object read(PackCursor in) {
        if (in.next() != Kind.NULL) return held(in);
        if (nullable) return null;
        if (strict) throw new BadValue("Unexpected NULL value of not Nullable type " + type);
        return zero;
    }

    /** What Spark holds for the type's default: NULL if it may be that. */
    final Object zero() {
        return nullable ? null : zero;
    }

    /** Write a value; one that is NULL and cannot be is the default. */
    final void put(SpecializedGetters row, int at, Output out) {
        if (!row.isNullAt(at)) write(row, at, out);
        else if (nullable) out.put(PackCursor.NIL);
        else write(new GenericInternalRow(new Object[] {zero}), 0, out);
    }

    final BadValue wrong(PackCursor in) {
        return new BadValue("Cannot insert MessagePack " + in.kind.called + " into column with type " + type);
    }

    final BadValue wrongSize(int size) {
        return new BadValue("Unexpected size of " + type + " value: " + size);
    }

    /** Write a number that may be below zero. */
    static void integer(long number, Output out) {
        if (number >= 0) {
            unsigned(number, out);
        } else if (number >= -FIXED) {
            out.put((int) number);
        } else {
            int bytes = number == (byte) number ? 0 : number == (short) number ? 1 : number == (int) number ? 2 : 3;
            tagged(0xD0 + bytes, number, 1 << bytes, out);
        }
    }

    /** Write a number without a sign. */
    static void unsigned(long number, Output out) {
        if (number >= 0 && number < 0x80) {
            out.put((int) number);
        } else {
            int bytes = number >>> 8 == 0 ? 0 : number >>> 16 == 0 ? 1 : number >>> 32 == 0 ? 2 : 3;
            tagged(0xCC + bytes, number, 1 << bytes, out);
        }
    }

    /** Write a byte, and a number of so many bytes with its highest first. */
    static void tagged(int tag, long number, int width, Output out) {
        out.put(tag);
        for (int shift = 8 * width - 8; shift >= 0; shift -= 8) out.put((int) (number >>> shift));
    }

    /** Write what precedes so many bytes. */
    static void binary(int length, Output out) {
        if (length < 1 << 8) tagged(0xC4, length, 1, out);
        else if (length < 1 << 16) tagged(0xC5, length, 2, out);
        else tagged(0xC6, length, 4, out);
    }

    /** Write what precedes the objects of an array or a map. */
    static void holder(int few, int many, int count, Output out) {
        if (count < 16) out.put(few | count);
        else if (count < 1 << 16) tagged(many, count, 2, out);
        else tagged(many + 1, count, 4, out);
    }
}
