package sluice.changelog;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Sums by key. Rows add to the sums of their keys; the sums before and after are the result, if it changes.
 *
 * <p>The state is the time of the last change and the sums. A key exists while its number of rows is positive. The
 * number may be negative: a changelog that deletes a row before it inserts it ends in the same sums.
 */
final class Accumulate implements Update {
    private final StructType in;
    private final StructType keySchema;
    private final StructType columns; // the key's and the sums'
    private final int[] keyAt;
    private final Sums sums;
    private final long now;
    private final long ttl;

    Accumulate(StructType in, List<String> key, List<String> sums, List<String> byValue, long now, long ttl) {
        this.in = in;
        this.sums = new Sums(in, sums, byValue);
        this.now = now;
        this.ttl = ttl;
        keySchema = Rows.nullable(Rows.only(in, key));
        keyAt = Rows.places(in, key);
        StructType all = keySchema;
        for (StructField each : this.sums.columns().fields()) all = all.add(each);
        columns = all;
    }

    StructType result() {
        return Rows.changelog(columns);
    }

    @Override
    public StructType keySchema() {
        return keySchema;
    }

    @Override
    public StructType valueSchema() {
        return sums.stored();
    }

    @Override
    public Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows) {
        return new Task(store, rows);
    }

    private final class Task extends StateTask {
        private final UnsafeProjection key = Rows.key(in, keyAt);
        private final UnsafeProjection value = UnsafeProjection.create(valueSchema());
        private final Changes changes;

        Task(StateStore store, Iterator<InternalRow> rows) {
            super(store, rows);
            int first = in.length() + 1; // after the time
            int width = first + sums.size();
            int[] at = IntStream.concat(Arrays.stream(keyAt), IntStream.range(first, width)).toArray();
            changes = new Changes(columns, at, width);
        }

        @Override
        boolean advance() {
            if (!rows.hasNext()) return false;
            add(rows.next());
            return true;
        }

        private void add(InternalRow row) {
            UnsafeRow at = key.apply(row);
            UnsafeRow found = store.get(at, family);
            UnsafeRow old = found == null || ttl > 0 && found.getLong(0) <= now - ttl ? null : found;
            Object[] before = new Object[sums.size() + 1]; // time, sums
            sums.read(old, before);
            Object[] after = before.clone();
            sums.add(row, after);
            boolean changed = !Arrays.equals(before, after);
            after[0] = now;
            if (sums.areZero(after)) {
                if (found != null) store.remove(at, family);
            } else if (changed || old == null || ttl > 0 && old.getLong(0) != now) {
                store.put(at, value.apply(new GenericInternalRow(after)), family);
            }
            if (differs(before, after)) changes.add(with(row, before), with(row, after), ready);
        }

        private boolean differs(Object[] before, Object[] after) {
            return sums.exists(before) != sums.exists(after)
                || IntStream.range(0, sums.size()).anyMatch(i -> sums.differs(i, before, after));
        }

        private InternalRow with(InternalRow row, Object[] state) {
            return sums.exists(state) ? new JoinedRow(row, new GenericInternalRow(state)) : null;
        }
    }
}
