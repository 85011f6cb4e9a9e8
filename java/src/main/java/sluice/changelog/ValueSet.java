package sluice.changelog;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.math.Ordering;

/**
 * How often each value of a column occurs in the rows of a key: the state has an entry for each value, in their order.
 *
 * <p>The entry of the key itself, from the column {@code at} on, has the number of entries, the number of values that occur, the
 * lengths of their bytes and, if it is {@code ranked}, the first value. A value whose number is negative does not
 * occur: it is deleted before it is inserted.
 */
record ValueSet(int number, int valueAt, int countAt, DataType type, boolean descending, boolean ranked, int at)
        implements Serializable {
    private static final String FAMILY = "values";
    private static final StructType PREFIX = new StructType().add("key", DataTypes.BinaryType, false)
        .add("set", DataTypes.IntegerType, false).add("length", DataTypes.IntegerType, false);
    private static final StructType ENTRY = PREFIX.add("value", DataTypes.BinaryType, false);
    private static final StructType COUNT = new StructType().add("count", DataTypes.LongType, false);
    private static final int COUNTERS = 3;

    /** Let a store have values; before anything else in each task. */
    static void open(StateStore store) {
        store.createColFamilyIfAbsent(FAMILY, ENTRY, COUNT, new PrefixKeyScanStateEncoderSpec(ENTRY, PREFIX.length()),
            false, false);
    }

    /** The columns of a key's entry with those of the set. */
    StructType stored(StructType columns) {
        StructType made = columns;
        for (String name : List.of("entries", "occurring", "lengths")) made = made.add(name + number, DataTypes.LongType);
        return ranked ? made.add("first" + number, type) : made;
    }

    int occurring() {
        return at + 1;
    }

    private int lengths() {
        return at + 2;
    }

    int first() {
        return at + COUNTERS;
    }

    void read(InternalRow stored, Object[] to) {
        for (int i = at; i < at + COUNTERS; i++) to[i] = stored == null ? 0L : stored.getLong(i);
        if (ranked) to[first()] = stored == null || stored.isNullAt(first()) ? null : stored.get(first(), type);
    }

    boolean isEmpty(Object[] state) {
        return (long) state[at] == 0;
    }

    /** Counts the values of a set in one task, a key after the other. */
    static final class Counter {
        private final ValueSet set;
        private final StateStore store;
        private final OrderedBytes bytes;
        private final Ordering<Object> order;
        private final UnsafeProjection prefix = UnsafeProjection.create(PREFIX);
        private final UnsafeProjection entry = UnsafeProjection.create(ENTRY);
        private final UnsafeProjection count = UnsafeProjection.create(COUNT);
        private boolean lost; // the first value of the key does not occur any more

        Counter(ValueSet set, StateStore store) {
            this.set = set;
            this.store = store;
            bytes = new OrderedBytes(set.type, set.descending);
            order = TypeUtils.getInterpretedOrdering(set.type);
        }

        /** Count the value of a row; {@code state} is the key's. */
        void add(byte[] key, InternalRow row, Object[] state) {
            long more = row.isNullAt(set.countAt) ? 0 : row.getLong(set.countAt);
            if (more == 0) return;
            Object value = row.get(set.valueAt, set.type);
            byte[] ordered = bytes.of(value);
            UnsafeRow at = entry.apply(row(key, set.number, ordered.length, ordered));
            UnsafeRow found = store.get(at, FAMILY);
            long was = found == null ? 0 : found.getLong(0);
            long is = was + more;
            if (is == 0) {
                store.remove(at, FAMILY);
            } else {
                store.put(at, count.apply(row(is)), FAMILY);
                state[set.lengths()] = (long) state[set.lengths()] | ordered.length; // powers of two
            }
            state[set.at] = (long) state[set.at] + (is == 0 ? 0 : 1) - (found == null ? 0 : 1);
            if (was <= 0 && is > 0) appears(ordered, value, state);
            if (was > 0 && is <= 0) disappears(value, state);
        }

        private void appears(byte[] ordered, Object value, Object[] state) {
            state[set.occurring()] = (long) state[set.occurring()] + 1;
            if (!set.ranked || state[set.first()] != null && !precedes(value, state[set.first()])) return;
            state[set.first()] = bytes.value(ordered); // the row's own is overwritten by the next one
            lost = false;
        }

        private void disappears(Object value, Object[] state) {
            state[set.occurring()] = (long) state[set.occurring()] - 1;
            if (set.ranked && order.compare(value, state[set.first()]) == 0) lost = true;
        }

        private boolean precedes(Object one, Object other) {
            return set.descending ? order.gt(one, other) : order.lt(one, other);
        }

        /** After the last row of a key: look for its first value, if the one it had is gone. */
        void finish(byte[] key, Object[] state) {
            if (!lost) return;
            lost = false;
            Object[] found = {null};
            if ((long) state[set.occurring()] > 0) {
                scan(key, (long) state[set.lengths()], each -> {
                    if (each.value().getLong(0) <= 0) return true;
                    Object value = bytes.value(each.key().getBinary(PREFIX.length()));
                    if (found[0] == null || precedes(value, found[0])) found[0] = value;
                    return false;
                });
            }
            state[set.first()] = found[0];
        }

        /** Remove all values of a key. */
        void clear(byte[] key, InternalRow stored) {
            List<UnsafeRow> all = new ArrayList<>();
            scan(key, stored.getLong(set.lengths()), each -> all.add(each.key().copy()));
            all.forEach(each -> store.remove(each, FAMILY));
        }

        /** Read the values of each length in their order, for as long as the next one is asked for. */
        private void scan(byte[] key, long lengths, Predicate<UnsafeRowPair> reader) {
            for (long left = lengths; left != 0; left &= left - 1) {
                UnsafeRow from = prefix.apply(row(key, set.number, (int) Long.lowestOneBit(left)));
                try (StateStoreIterator<UnsafeRowPair> values = store.prefixScan(from, FAMILY)) {
                    while (values.hasNext() && reader.test(values.next())) {
                        // the reader has it
                    }
                }
            }
        }

        private static GenericInternalRow row(Object... columns) {
            return new GenericInternalRow(columns);
        }
    }
}
