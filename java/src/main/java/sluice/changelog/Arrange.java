package sluice.changelog;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The rows of each input by key. Rows are added and removed; all rows of the keys that are touched are the result, with
 * how many of each there were before and how many there are after.
 *
 * <p>In the state each row of a key is an entry with how many of it there are. The number may be negative: a changelog that
 * deletes a row before it inserts it ends in the same rows. With a time to live a key has one more entry, the first,
 * with the time of its last change: a key expires as a whole, so that what was computed from its rows stays one result.
 */
final class Arrange extends RowsByKey {
    /** The input, the numbers before and after, the row, and its place in the order of arrival before and after. */
    static final StructType RESULT = new StructType().add("input", DataTypes.IntegerType, false)
        .add("before", DataTypes.LongType, false).add("after", DataTypes.LongType, false)
        .add("row", DataTypes.BinaryType, false).add("was", DataTypes.BinaryType).add("is", DataTypes.BinaryType);

    private static final StructType KEY = new StructType().add("key", DataTypes.BinaryType, false)
        .add("input", DataTypes.IntegerType, false).add("row", DataTypes.BinaryType, false);
    private static final StructType PREFIX = new StructType().add("key", DataTypes.BinaryType, false);
    private static final StructType VALUE = new StructType().add("count", DataTypes.LongType, false)
        .add("seq", DataTypes.BinaryType);
    private static final int TIME = 0; // in place of an input, whose numbers begin at 1 here
    private static final byte[] NONE = {};

    private final int inputs;
    private final boolean ordered;
    private final long batch;

    Arrange(StructType in, int inputs, int keys, boolean ordered, long batch, long now, long ttl) {
        super(in, keys, PREFIX, KEY, VALUE, now, ttl);
        this.inputs = inputs;
        this.ordered = ordered;
        this.batch = batch;
    }

    @Override
    public Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows) {
        return new Task(store, rows);
    }

    @Override
    public void sweep(StateStore store, long oldest) {
        String family = StateStore.DEFAULT_COL_FAMILY_NAME();
        UnsafeProjection value = UnsafeProjection.create(VALUE);
        UnsafeProjection entry = UnsafeProjection.create(KEY);
        byte[] key = null;
        boolean expired = false;
        try (StateStoreIterator<UnsafeRowPair> all = store.iterator(family)) {
            while (all.hasNext()) {
                UnsafeRowPair each = all.next();
                byte[] of = each.key().getBinary(0);
                if (!Arrays.equals(of, key)) {
                    key = of;
                    boolean timed = each.key().getInt(1) == TIME;
                    expired = timed && each.value().getLong(0) <= oldest;
                    // From before there was a time to live: it begins now.
                    if (!timed) store.put(entry.apply(entryOf(key, TIME, NONE)), value.apply(valueOf(now, null)), family);
                }
                if (expired) store.remove(each.key(), family);
            }
        }
    }

    private static GenericInternalRow entryOf(byte[] key, int input, byte[] row) {
        return new GenericInternalRow(new Object[] {key, input, row});
    }

    private static GenericInternalRow valueOf(long count, byte[] seq) {
        return new GenericInternalRow(new Object[] {count, seq});
    }

    private final class Task extends RowsTask {
        private final UnsafeProjection prefix = UnsafeProjection.create(PREFIX);
        private final UnsafeProjection entry = UnsafeProjection.create(KEY);
        private final UnsafeProjection value = UnsafeProjection.create(VALUE);
        private final UnsafeProjection result = UnsafeProjection.create(RESULT);

        // of the key whose rows are read
        private final List<Runnable> writes = new ArrayList<>();
        private boolean expired;
        private boolean timed;
        private long left;

        Task(StateStore store, Iterator<InternalRow> rows) {
            super(store, rows, in, inputs, keys);
        }

        @Override
        boolean advance() {
            if (scan == null) return begin();
            if (scan.hasNext()) read(scan.next());
            else end();
            return true;
        }

        @Override
        public InternalRow next() {
            return result.apply(super.next());
        }

        private boolean begin() {
            if (!nextKey()) return false;
            scan = store.prefixScan(prefix.apply(new GenericInternalRow(new Object[] {key})), family);
            expired = false;
            timed = false;
            left = 0;
            return true;
        }

        /** Bytes sort as the batches, and the places in their topics, do. */
        @Override
        byte[] seq(InternalRow place) {
            if (!ordered) return null;
            if (place == null) return ByteBuffer.allocate(8).putLong(batch).array();
            return ByteBuffer.allocate(24).putLong(batch).putInt(place.getInt(0)).putLong(place.getLong(1))
                .putInt(place.getInt(2)).array();
        }

        /** Apply the changes to a row that is there. */
        private void read(UnsafeRowPair found) {
            int input = found.key().getInt(1);
            if (input == TIME) {
                timed = true;
                expired = ttl > 0 && found.value().getLong(0) <= now - ttl;
                return;
            }
            byte[] bytes = found.key().getBinary(2);
            UnsafeRow row = Rows.row(bytes, fields(input - 1));
            Change change = changes.get(input - 1).remove(row);
            long before = expired ? 0 : found.value().getLong(0);
            byte[] was = found.value().isNullAt(1) ? null : found.value().getBinary(1);
            if (change == null && !expired) {
                left++;
                emit(input - 1, before, before, bytes, was, was);
                return;
            }
            long after = change == null ? 0 : before + change.weight;
            byte[] is = change == null || change.seq == null ? was : change.seq;
            write(input, bytes, after, is);
            emit(input - 1, before, after, bytes, was, is);
        }

        /** Add the rows that are new; write the key. */
        private void end() {
            scan.close();
            scan = null;
            for (int i = 0; i < inputs; i++) {
                for (Map.Entry<UnsafeRow, Change> each : changes.get(i).entrySet()) {
                    Change change = each.getValue();
                    if (change.weight == 0) continue;
                    byte[] bytes = each.getKey().getBytes();
                    write(i + 1, bytes, change.weight, change.seq);
                    emit(i, 0, change.weight, bytes, null, change.seq);
                }
            }
            writes.forEach(Runnable::run);
            writes.clear();
            UnsafeRow time = entry.apply(entryOf(key, TIME, NONE));
            if (left > 0 && ttl > 0) store.put(time, value.apply(valueOf(now, null)), family);
            else if (timed) store.remove(time, family);
        }

        /** Write after the scan. */
        private void write(int input, byte[] row, long count, byte[] seq) {
            if (count != 0) left++;
            byte[] of = key;
            writes.add(() -> {
                UnsafeRow at = entry.apply(entryOf(of, input, row));
                if (count == 0) store.remove(at, family);
                else store.put(at, value.apply(valueOf(count, seq)), family);
            });
        }

        private void emit(int input, long before, long after, byte[] row, byte[] was, byte[] is) {
            if (before <= 0 && after <= 0) return;
            ready.add(new GenericInternalRow(
                new Object[] {input, Math.max(before, 0), Math.max(after, 0), row, was, is}));
        }
    }
}
