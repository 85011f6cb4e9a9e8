package sluice.flink;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.decode.Decoder;
import sluice.scan.BadValue;
import sluice.values.TypeSpec;

/**
 * A Flink format, read: a message is one row most often, and no row where it is NULL. A wrong
 * one is a row that says so, or nothing if errors are ignored.
 */
public abstract class FlinkDecoder implements Decoder {
    static final GenericArrayData NOTHING = new GenericArrayData(new Object[0]);

    final int columns;
    final boolean lenient;

    /** Of described columns; {@code lenient}: whether wrong messages are skipped. */
    public FlinkDecoder(String columns, boolean lenient) {
        this.columns = TypeSpec.tree(columns).size();
        this.lenient = lenient;
    }

    /**
     * The row of a message: a place for its error, and its columns; or null for no row.
     *
     * <p>What is wrong with it is thrown as a {@link BadValue}.
     */
    protected abstract Object[] read(byte[] message);

    /** What is wrong with a message, before the reason. */
    protected abstract String failed(byte[] message);

    /** Whether a message that is NULL is read too. */
    public boolean takesNull() {
        return false;
    }

    /** A row without anything in it. */
    final Object[] empty() {
        return new Object[columns + 1];
    }

    /** The one row of a message, or null for none. */
    public final InternalRow row(byte[] message) {
        try {
            Object[] row = read(message);
            return row == null ? null : new GenericInternalRow(row);
        } catch (BadValue bad) {
            return lenient ? null : wrong(message, bad);
        }
    }

    @Override
    public ArrayData decode(byte[] message) {
        InternalRow row = row(message);
        return row == null ? NOTHING : new GenericArrayData(new Object[] {row});
    }

    /** The row that says what is wrong. */
    final InternalRow wrong(byte[] message, BadValue bad) {
        Object[] row = empty();
        String failed = failed(message);
        String reason = bad.getMessage();
        row[0] = UTF8String.fromString(failed.isEmpty() ? reason : failed + " " + reason);
        return new GenericInternalRow(row);
    }
}
