package sluice.binary;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.binary.PackCursor.Kind;
import sluice.scan.BadValue;
import sluice.values.Output;

/** How values of one type are objects of MessagePack. */
abstract class PackValue extends TaggedValue<PackCursor> implements Putter {
    private static final int FIXED = 32; // numbers below zero that are a byte

    PackValue(String type, Object zero) {
        super(type, zero);
    }

    /** The value that comes next, inside of another one. */
    final Object read(PackCursor in) {
        return in.next() == Kind.NULL ? none() : held(in);
    }

    /** Write a value; one that is NULL and cannot be is the default. */
    @Override
    public final void put(SpecializedGetters row, int at, Output out) {
        if (isNull(row, at)) out.put(PackCursor.NIL);
        else writeAny(row, at, out);
    }

    final BadValue wrong(PackCursor in) {
        return new BadValue("Cannot insert MessagePack " + in.kind.called + " into column with type " + type);
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
