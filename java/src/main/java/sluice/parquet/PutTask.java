package sluice.parquet;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.changes.SeveralPartitions;
import sluice.delta.KeyBlock;

/**
 * Writes the rows that the changes of a task put into a table, the last of each key, to a data file.
 *
 * @param at where in a row the longs of its key are, after the table's columns; then comes whether
 *     the row is put, or deleted
 * @param several notes keys with changes in several partitions; null if rows have no partition, which
 *     otherwise follows
 * @param partial where in a row it is whether it leaves out values; negative if none does
 */
record PutTask(WriteTask files, int at, boolean wide, SeveralPartitions several, int partial)
        implements Function2<Integer, Iterator<InternalRow>, Iterator<PutTask.Done>> {
    /**
     * The data file, null for none, with the keys of its rows, and those of rows to be deleted; and whether
     * a row leaves out values, so that the file is of no use.
     */
    record Done(WriteTask.Written file, KeyBlock puts, KeyBlock deletes, boolean partial) implements Serializable {}

    @Override
    public Iterator<Done> call(Integer number, Iterator<InternalRow> rows) throws Exception {
        int partition = several == null ? -1 : at + (wide ? 3 : 2);
        Puts puts = new Puts(new LastChanges(rows, at, wide, partition, several), at, wide, partition, partial);
        Iterator<WriteTask.Written> written = files.call(number, puts);
        WriteTask.Written file = written.hasNext() ? written.next() : null;
        return List.of(new Done(file, puts.written, puts.deleted, puts.incomplete)).iterator();
    }

    /** The rows that are put; the keys of all are noted. */
    private static final class Puts implements Iterator<InternalRow> {
        private final Iterator<InternalRow> changes;
        private final int at;
        private final int kind;
        private final int partition;
        private final int partial;
        private final KeyBlock written;
        private final KeyBlock deleted;
        private InternalRow next;
        private long count;
        private boolean incomplete;

        Puts(Iterator<InternalRow> changes, int at, boolean wide, int partition, int partial) {
            this.changes = changes;
            this.at = at;
            this.partition = partition;
            this.partial = partial;
            kind = at + (wide ? 2 : 1);
            written = new KeyBlock(null, wide);
            deleted = new KeyBlock(null, wide);
        }

        @Override
        public boolean hasNext() {
            while (next == null && changes.hasNext()) {
                InternalRow row = changes.next();
                if (row.getBoolean(kind)) {
                    next = row;
                } else {
                    deleted.add(row, at, 0, partition);
                }
            }
            return next != null;
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            InternalRow row = next;
            next = null;
            written.add(row, at, count++, partition);
            incomplete |= partial >= 0 && row.getBoolean(partial);
            return row;
        }
    }
}
