package sluice.binary;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.scan.BadValue;
import sluice.scan.Cursor;
import sluice.values.Output;

/** How values of one type are laid out where each says its kind. Nothing is converted: one of another kind is wrong. */
abstract class TaggedValue<C extends Cursor> implements Serializable {
    final String type;
    private final Object zero;
    private boolean nullable;
    private boolean strict;

    /** The type's name for errors, and what Spark holds for its default. */
    TaggedValue(String type, Object zero) {
        this.type = type;
        this.zero = zero;
    }

    /** Whether values may be NULL, and if not, whether NULL is refused or the default. */
    final void takeNull(boolean mayBeNull, boolean refused) {
        nullable = mayBeNull;
        strict = refused;
    }

    /** The value whose kind was read last. */
    abstract Object held(C in);

    /** Write a value that is not NULL. */
    abstract void write(SpecializedGetters row, int at, Output out);

    /** What a NULL inside of another value becomes. */
    final Object none() {
        if (nullable) return null;
        if (strict) throw new BadValue("Unexpected NULL value of not Nullable type " + type);
        return zero;
    }

    /** What Spark holds for the type's default: NULL if it may be that. */
    final Object zero() {
        return nullable ? null : zero;
    }

    /** Whether NULL is written. */
    final boolean isNull(SpecializedGetters row, int at) {
        return nullable && row.isNullAt(at);
    }

    /** Write a value that is no NULL; one that is and cannot be is the default. */
    final void writeAny(SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) write(new GenericInternalRow(new Object[] {zero}), 0, out);
        else write(row, at, out);
    }

    final BadValue wrongSize(int size) {
        return new BadValue("Unexpected size of " + type + " value: " + size);
    }
}
