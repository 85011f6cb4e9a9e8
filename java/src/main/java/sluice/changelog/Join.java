package sluice.changelog;

import java.util.ArrayList;
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
 * What an inner join of a batch needs: the changes of each side, and the rows that they meet on the other one.
 *
 * <p>The changes of the left side meet the right rows from before the batch, those of the right side the left rows from
 * after it; so each pair of rows is joined once. A side whose other side has no changes is not read. In the state each
 * row of a key is an entry with how many of it there are, which may be negative. With a time to live a key has one
 * more entry, with the time of its last change, and expires as a whole.
 */
final class Join extends RowsByKey {
    /** The parts of the result: those with even numbers have rows of the left side. */
    static final int LEFT_CHANGES = 0;
    static final int RIGHT_BEFORE = 1;
    static final int LEFT_AFTER = 2;
    static final int RIGHT_CHANGES = 3;

    /** The part, how many of the row there are or are added (or removed, if it is negative), and the row. */
    static final StructType RESULT = new StructType().add("part", DataTypes.IntegerType, false)
        .add("weight", DataTypes.LongType, false).add("row", DataTypes.BinaryType, false);

    private static final int LEFT = 0;
    private static final int RIGHT = 1;
    private static final int TIME = 2; // in place of a side
    private static final byte[] NONE = {};
    private static final StructType PREFIX = new StructType().add("key", DataTypes.BinaryType, false)
        .add("side", DataTypes.IntegerType, false);
    private static final StructType KEY = PREFIX.add("row", DataTypes.BinaryType, false);
    private static final StructType VALUE = new StructType().add("count", DataTypes.LongType, false);

    Join(StructType in, int keys, long now, long ttl) {
        super(in, keys, PREFIX, KEY, VALUE, now, ttl);
    }

    @Override
    public Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows) {
        return new Task(store, rows);
    }

    @Override
    public void sweep(StateStore store, long oldest) {
        Entries entries = new Entries(store);
        try (StateStoreIterator<UnsafeRowPair> all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME())) {
            while (all.hasNext()) {
                UnsafeRowPair each = all.next();
                byte[] key = each.key().getBinary(0);
                if (each.key().getInt(1) != TIME) {
                    // From before there was a time to live: it begins now.
                    if (entries.get(key, TIME, NONE) == null) entries.put(key, TIME, NONE, now);
                } else if (each.value().getLong(0) <= oldest) {
                    entries.clear(key);
                }
            }
        }
    }

    /** The entries of a store. */
    private static final class Entries {
        private final StateStore store;
        private final String family = StateStore.DEFAULT_COL_FAMILY_NAME();
        private final UnsafeProjection prefix = UnsafeProjection.create(PREFIX);
        private final UnsafeProjection entry = UnsafeProjection.create(KEY);
        private final UnsafeProjection value = UnsafeProjection.create(VALUE);

        Entries(StateStore store) {
            this.store = store;
        }

        Long get(byte[] key, int side, byte[] row) {
            UnsafeRow found = store.get(at(key, side, row), family);
            return found == null ? null : found.getLong(0);
        }

        void put(byte[] key, int side, byte[] row, long count) {
            if (count == 0) store.remove(at(key, side, row), family);
            else store.put(at(key, side, row), value.apply(new GenericInternalRow(new Object[] {count})), family);
        }

        StateStoreIterator<UnsafeRowPair> scan(byte[] key, int side) {
            return store.prefixScan(prefix.apply(new GenericInternalRow(new Object[] {key, side})), family);
        }

        void clear(byte[] key) {
            for (int side : new int[] {LEFT, RIGHT, TIME}) {
                List<UnsafeRow> all = new ArrayList<>();
                try (StateStoreIterator<UnsafeRowPair> rows = scan(key, side)) {
                    while (rows.hasNext()) all.add(rows.next().key().copy());
                }
                all.forEach(each -> store.remove(each, family));
            }
        }

        private UnsafeRow at(byte[] key, int side, byte[] row) {
            return entry.apply(new GenericInternalRow(new Object[] {key, side, row}));
        }
    }

    private final class Task extends RowsTask {
        private final Entries entries;
        private final UnsafeProjection result = UnsafeProjection.create(RESULT);
        private int part = RIGHT_CHANGES; // that is read; the last one has been, of the key before

        Task(StateStore store, Iterator<InternalRow> rows) {
            super(store, rows, in, 2, keys);
            entries = new Entries(store);
        }

        @Override
        public InternalRow next() {
            return result.apply(super.next());
        }

        @Override
        boolean advance() {
            if (scan != null && scan.hasNext()) {
                UnsafeRowPair found = scan.next();
                emit(part, Math.max(found.value().getLong(0), 0), found.key().getBinary(PREFIX.length()));
                return true;
            }
            if (scan != null) scan.close();
            scan = null;
            switch (part) {
                case RIGHT_BEFORE -> {
                    write(LEFT, LEFT_CHANGES);
                    write(RIGHT, RIGHT_CHANGES);
                    read(LEFT_AFTER, LEFT, RIGHT);
                }
                case LEFT_AFTER -> part = RIGHT_CHANGES;
                default -> {
                    if (!nextKey()) return false;
                    if (ttl > 0) touch();
                    read(RIGHT_BEFORE, RIGHT, LEFT);
                }
            }
            return true;
        }

        /** Read the rows of a side, if the other one has changes. */
        private void read(int next, int side, int changed) {
            part = next;
            if (changes.get(changed).values().stream().anyMatch(each -> each.weight != 0)) scan = entries.scan(key, side);
        }

        /** Forget what has expired; the time to live begins anew. */
        private void touch() {
            Long time = entries.get(key, TIME, NONE);
            if (time != null && time <= now - ttl) entries.clear(key);
            entries.put(key, TIME, NONE, now);
        }

        private void write(int side, int as) {
            for (Map.Entry<UnsafeRow, Change> each : changes.get(side).entrySet()) {
                long more = each.getValue().weight;
                if (more == 0) continue;
                byte[] row = each.getKey().getBytes();
                Long found = entries.get(key, side, row);
                long before = found == null ? 0 : found;
                entries.put(key, side, row, before + more);
                emit(as, Math.max(before + more, 0) - Math.max(before, 0), row);
            }
        }

        private void emit(int as, long weight, byte[] row) {
            if (weight != 0) ready.add(new GenericInternalRow(new Object[] {as, weight, row}));
        }
    }
}
