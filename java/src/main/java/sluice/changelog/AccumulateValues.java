package sluice.changelog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Sums by key, with the least, the greatest and the number of different values of some columns.
 *
 * <p>A row has the number of one of its columns of values, and how often the value there is added. The rows of column 0
 * add to the sums too. Rows are sorted by key; a value is in one row of its key. The state is that of {@link Accumulate} with the
 * columns of each {@link ValueSet}, and the values: only those that a batch has are read and written, besides the next one
 * in order where the least or the greatest is gone.
 */
final class AccumulateValues implements Update {
    private static final String OF = "__of";

    /** A column of the result: {@code how} is "min", "max" or "count"; `value` and `count` are columns of the rows. */
    record Aggregate(String name, String value, String count, String how) {
        static Aggregate of(List<String> parts) {
            return new Aggregate(parts.get(0), parts.get(1), parts.get(2), parts.get(3));
        }

        boolean isRanked() {
            return !how.equals("count");
        }

        boolean isDescending() {
            return how.equals("max");
        }
    }

    private final StructType in;
    private final StructType keySchema;
    private final StructType valueSchema;
    private final StructType columns; // the key's, those of the sums that are shown, and the aggregates'
    private final int[] keyAt;
    private final int ofAt;
    private final Sums sums;
    private final List<ValueSet> sets = new ArrayList<>();
    private final List<List<ValueSet>> byColumn = new ArrayList<>();
    private final int[] resultAt; // where the entry of a key has the columns after the key's
    private final long now;
    private final long ttl;

    AccumulateValues(StructType in, List<String> key, List<String> sums, List<String> byValue, List<String> shown,
            List<Aggregate> aggregates, long now, long ttl) {
        this.in = in;
        this.sums = new Sums(in, sums, byValue);
        this.now = now;
        this.ttl = ttl;
        keySchema = Rows.nullable(Rows.only(in, key));
        keyAt = Rows.places(in, key);
        ofAt = in.fieldIndex(OF);
        StructType stored = this.sums.stored();
        for (Aggregate each : aggregates) {
            if (each.isRanked() && find(each) == null) stored = add(each, stored);
        }
        for (Aggregate each : aggregates) {
            if (find(each) == null) stored = add(each, stored);
        }
        valueSchema = stored;
        for (String each : aggregates.stream().map(Aggregate::value).distinct().toList()) {
            int at = in.fieldIndex(each);
            byColumn.add(sets.stream().filter(set -> set.valueAt() == at).toList());
        }
        StructType all = keySchema;
        for (StructField each : Rows.only(in, shown).fields()) all = all.add(each);
        for (Aggregate each : aggregates) {
            all = all.add(each.name(), each.isRanked() ? find(each).type() : DataTypes.LongType);
        }
        columns = all;
        resultAt = IntStream.concat(shown.stream().mapToInt(each -> 1 + sums.indexOf(each)), aggregates.stream()
            .mapToInt(each -> each.isRanked() ? find(each).first() : find(each).occurring())).toArray();
    }

    /** The values that an aggregate is of: those in the order of another one can be counted too. */
    private ValueSet find(Aggregate aggregate) {
        return sets.stream()
            .filter(set -> set.valueAt() == in.fieldIndex(aggregate.value())
                && set.countAt() == in.fieldIndex(aggregate.count())
                && (!aggregate.isRanked() || set.ranked() && set.descending() == aggregate.isDescending()))
            .findFirst().orElse(null);
    }

    private StructType add(Aggregate aggregate, StructType stored) {
        int value = in.fieldIndex(aggregate.value());
        ValueSet set = new ValueSet(sets.size(), value, in.fieldIndex(aggregate.count()), in.apply(value).dataType(),
            aggregate.isDescending(), aggregate.isRanked(), stored.length());
        sets.add(set);
        return set.stored(stored);
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
        return valueSchema;
    }

    @Override
    public boolean hasColumnFamilies() {
        return true;
    }

    @Override
    public Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows) {
        ValueSet.open(store);
        return new Task(store, rows);
    }

    @Override
    public void sweep(StateStore store, long oldest) {
        ValueSet.open(store);
        String family = StateStore.DEFAULT_COL_FAMILY_NAME();
        List<ValueSet.Counter> counters = counters(store);
        try (StateStoreIterator<UnsafeRowPair> all = store.iterator(family)) {
            while (all.hasNext()) {
                UnsafeRowPair each = all.next();
                if (each.value().getLong(0) > oldest) continue;
                counters.forEach(counter -> counter.clear(each.key().getBytes(), each.value()));
                store.remove(each.key(), family);
            }
        }
    }

    private List<ValueSet.Counter> counters(StateStore store) {
        return sets.stream().map(set -> new ValueSet.Counter(set, store)).toList();
    }

    private final class Task extends KeyTask {
        private final UnsafeProjection value = UnsafeProjection.create(valueSchema);
        private final List<ValueSet.Counter> counters;
        private final Changes changes;

        // of the key whose rows are read
        private byte[] keyBytes;
        private boolean stored;
        private boolean known; // and not expired
        private long time;
        private Object[] before;
        private Object[] after;

        Task(StateStore store, Iterator<InternalRow> rows) {
            super(store, rows, in, keyAt);
            counters = counters(store);
            int keys = keyAt.length;
            int[] at = IntStream.concat(IntStream.range(0, keys), Arrays.stream(resultAt).map(i -> keys + i)).toArray();
            changes = new Changes(columns, at, keys + valueSchema.length());
        }

        @Override
        void begin() {
            keyBytes = key.getBytes();
            UnsafeRow found = store.get(key, family);
            stored = found != null;
            known = stored && (ttl == 0 || found.getLong(0) > now - ttl);
            if (stored && !known) {
                for (ValueSet.Counter each : counters) each.clear(keyBytes, found);
            }
            UnsafeRow old = known ? found : null;
            before = new Object[valueSchema.length()];
            sums.read(old, before);
            for (ValueSet set : sets) set.read(old, before);
            time = known ? found.getLong(0) : 0;
            after = before.clone();
        }

        @Override
        void read(InternalRow row) {
            int column = row.getInt(ofAt);
            if (column == 0) sums.add(row, after);
            for (ValueSet set : byColumn.get(column)) counters.get(set.number()).add(keyBytes, row, after);
        }

        @Override
        void end() {
            for (ValueSet.Counter each : counters) each.finish(keyBytes, after);
            boolean changed = !Arrays.equals(before, after);
            after[0] = now;
            if (sums.areZero(after) && sets.stream().allMatch(set -> set.isEmpty(after))) {
                if (stored) store.remove(key, family);
            } else if (changed || !known || ttl > 0 && time != now) {
                store.put(key, value.apply(new GenericInternalRow(after)), family);
            }
            if (differs()) changes.add(row(before), row(after), ready);
        }

        /** Whether the result is another one; the entry of a key has more than that. */
        private boolean differs() {
            return sums.exists(before) != sums.exists(after) || Arrays.stream(resultAt).anyMatch(
                i -> i > sums.size() ? !Objects.equals(before[i], after[i]) : sums.differs(i - 1, before, after));
        }

        private InternalRow row(Object[] state) {
            return sums.exists(state) ? new JoinedRow(key, new GenericInternalRow(state)) : null;
        }
    }
}
