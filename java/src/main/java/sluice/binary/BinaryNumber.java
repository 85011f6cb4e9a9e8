package sluice.binary;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/** A type whose values are a number of at most 64 bits. */
abstract class BinaryNumber extends BinaryValue {
    final int width;
    private final boolean signed;

    /** A number of so many bytes. */
    BinaryNumber(String type, int width, boolean signed, Object zero) {
        super(type, width, zero);
        this.width = width;
        this.signed = signed;
    }

    /** What Spark holds for a number; it ends at a position, which is for errors. */
    abstract Object held(long number, int at);

    /** The number of what Spark holds. */
    abstract long number(SpecializedGetters row, int at);

    /** Whether all bits are the number's own. */
    final boolean isUnsigned() {
        return !signed;
    }

    /** Whether values may be this number; one that is {@code large} is unsigned. */
    final boolean fits(long number, boolean large) {
        if (width == Long.BYTES) return signed ? !large : large || number >= 0;
        return !large && cut(number) == number;
    }

    /** The number that the lowest bits of another one are. */
    final long cut(long number) {
        int spare = Long.SIZE - Byte.SIZE * width;
        return signed ? number << spare >> spare : number << spare >>> spare;
    }

    /** The number that comes next. */
    final long next(BinaryCursor in) {
        switch (width) {
            case 1: return signed ? in.one() : in.one() & 0xFF;
            case 2: return signed ? in.two() : in.two() & 0xFFFF;
            case 4: return signed ? in.four() : in.four() & 0xFFFFFFFFL;
            default: return in.eight();
        }
    }

    @Override
    final Object read(BinaryCursor in) {
        return held(next(in), in.at);
    }

    @Override
    final void write(SpecializedGetters row, int at, Output out) {
        long number = number(row, at);
        switch (width) {
            case 1: out.put((int) number); break;
            case 4: out.putLowInt((int) number); break;
            case 8: out.putLowLong(number); break;
            default: out.putLow(number, width);
        }
    }
}
