package sluice.changelog;

import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.types.StructType;

/** A task whose rows are sorted by key: one key is read after the other, row by row. */
abstract class KeyTask extends StateTask {
    UnsafeRow key; // whose rows are read

    private final UnsafeProjection keyOf;

    KeyTask(StateStore store, Iterator<InternalRow> rows, StructType in, int[] keyAt) {
        super(store, rows);
        keyOf = Rows.key(in, keyAt);
    }

    /** Before the first row of a key. */
    abstract void begin();

    abstract void read(InternalRow row);

    /** After the last row of a key. */
    abstract void end();

    @Override
    final boolean advance() {
        InternalRow row = rows.hasNext() ? rows.next() : null;
        UnsafeRow of = row == null ? null : keyOf.apply(row);
        if (key != null && !key.equals(of)) {
            end();
            key = null;
        }
        if (row == null) return false;
        if (key == null) {
            key = of.copy();
            begin();
        }
        read(row);
        return true;
    }
}
