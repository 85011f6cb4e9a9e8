package sluice.parquet;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import sluice.changes.SeveralPartitions;

/**
 * The last of the rows with each key, of rows that are sorted by key.
 *
 * <p>The key is the one or two longs at {@code at}; rows without one are all different. The partition of
 * a change is at {@code partition}, if that is not negative: a key with changes in several is noted.
 */
final class LastChanges implements Iterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private final int at;
    private final boolean wide;
    private final int partition;
    private final SeveralPartitions several;
    private InternalRow last;
    private InternalRow next;
    private UnsafeRow spare;

    LastChanges(Iterator<InternalRow> rows, int at, boolean wide, int partition, SeveralPartitions several) {
        this.rows = rows;
        this.at = at;
        this.wide = wide;
        this.partition = partition;
        this.several = several;
    }

    @Override
    public boolean hasNext() {
        return next != null || rows.hasNext();
    }

    @Override
    public InternalRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        InternalRow found = next == null ? kept(rows.next()) : next;
        next = null;
        while (rows.hasNext()) {
            InternalRow row = rows.next();
            if (!same(found, row)) {
                next = kept(row);
                last = found;
                return found;
            }
            compare(found, row, partition, several);
            release(found);
            found = kept(row);
        }
        last = found;
        return found;
    }

    private boolean same(InternalRow one, InternalRow two) {
        return !one.isNullAt(at) && !two.isNullAt(at)
                && one.getLong(at) == two.getLong(at)
                && (!wide || one.getLong(at + 1) == two.getLong(at + 1));
    }

    /** Note two changes of a key that come from several partitions. */
    static void compare(InternalRow one, InternalRow two, int partition, SeveralPartitions several) {
        if (partition >= 0 && !one.isNullAt(partition) && !two.isNullAt(partition)) {
            several.compare(one.getInt(partition), two.getInt(partition));
        }
    }

    /** A copy: Spark uses the memory of a row for the next one. */
    private InternalRow kept(InternalRow row) {
        if (!(row instanceof UnsafeRow given)) {
            return row.copy();
        }
        if (spare == null && last instanceof UnsafeRow used) { // the one that was given out before
            spare = used;
            last = null;
        }
        UnsafeRow copy = spare == null
                ? UnsafeRow.createFromByteArray(given.getSizeInBytes(), given.numFields())
                : spare;
        spare = null;
        copy.copyFrom(given);
        return copy;
    }

    private void release(InternalRow row) {
        if (row instanceof UnsafeRow used) {
            spare = used;
        }
    }
}
