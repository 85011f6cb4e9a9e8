package sluice.binary;

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.scan.BadValue;
import sluice.values.Output;

/** How values of one type are laid out in bytes, as ClickHouse has them in RowBinary. */
abstract class BinaryValue implements Putter {
    final String type;
    final int least; // bytes of the shortest value
    private final Object zero;

    /** The type's name for errors, and what Spark holds for its default. */
    BinaryValue(String type, int least, Object zero) {
        this.type = type;
        this.least = least;
        this.zero = zero;
    }

    /** The value that comes next, as Spark holds it; null only for NULL. */
    abstract Object read(BinaryCursor in);

    /** Write a value that is not NULL. */
    abstract void write(SpecializedGetters row, int at, Output out);

    /** Write a value; one that is NULL and cannot be is the default. */
    @Override
    public void put(SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) write(new GenericInternalRow(new Object[] {zero()}), 0, out);
        else write(row, at, out);
    }

    /** What Spark holds for the type's default. */
    Object zero() {
        return zero;
    }

    final BadValue outOfRange(Object value, int at) {
        return new BadValue("Value " + value + " is out of range of " + type + " (at byte " + at + ")");
    }
}
