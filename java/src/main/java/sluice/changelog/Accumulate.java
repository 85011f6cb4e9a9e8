package sluice.changelog;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.changes.RowKinds;

/**
 * Sums by key. Rows add to the sums of their keys; the sums before and after are the result.
 *
 * <p>The state is the time of the last change and the sums. A key exists while its number of rows is positive. The
 * number may be negative: a changelog that deletes a row before it inserts it ends in the same sums.
 */
final class Accumulate implements Update {
    private static final String COUNT = "__n";

    private final StructType in;
    private final StructType keySchema;
    private final StructType columns; // the key's and the sums'
    private final int[] keyAt;
    private final int[] sumsAt;
    private final DataType[] types;
    private final int count;
    private final long now;
    private final long ttl;

    Accumulate(StructType in, List<String> key, List<String> sums, long now, long ttl) {
        this.in = in;
        this.now = now;
        this.ttl = ttl;
        keySchema = Rows.nullable(Rows.only(in, key));
        keyAt = Rows.places(in, key);
        sumsAt = Rows.places(in, sums);
        types = Arrays.stream(sumsAt).mapToObj(i -> in.apply(i).dataType()).toArray(DataType[]::new);
        count = sums.indexOf(COUNT);
        StructType all = keySchema;
        for (StructField each : Rows.only(in, sums).fields()) all = all.add(each);
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
        StructType made = new StructType().add("time", DataTypes.LongType);
        for (int i = 0; i < types.length; i++) made = made.add("s" + i, types[i]);
        return made;
    }

    @Override
    public Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows) {
        return new Task(store, rows);
    }

    private final class Task implements Iterator<InternalRow> {
        private final StateStore store;
        private final Iterator<InternalRow> rows;
        private final String family = StateStore.DEFAULT_COL_FAMILY_NAME();
        private final UnsafeProjection key = Rows.key(in, keyAt);
        private final UnsafeProjection value = UnsafeProjection.create(valueSchema());
        private final UnsafeProjection oldRow;
        private final UnsafeProjection newRow;
        private final JoinedRow joined = new JoinedRow();
        private final Deque<InternalRow> ready = new ArrayDeque<>(2);

        Task(StateStore store, Iterator<InternalRow> rows) {
            this.store = store;
            this.rows = rows;
            int sums = types.length;
            int first = in.length() + 1; // after the time
            int[] at = IntStream.concat(Arrays.stream(keyAt), IntStream.range(first, first + sums)).toArray();
            oldRow = Rows.changes(columns, at, first + sums);
            newRow = Rows.changes(columns, at, first + sums);
        }

        @Override
        public boolean hasNext() {
            while (ready.isEmpty() && rows.hasNext()) add(rows.next());
            return !ready.isEmpty();
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) throw new NoSuchElementException();
            return ready.poll();
        }

        private void add(InternalRow row) {
            UnsafeRow at = key.apply(row);
            UnsafeRow found = store.get(at, family);
            UnsafeRow old = found == null || ttl > 0 && found.getLong(0) <= now - ttl ? null : found;
            Object[] before = new Object[types.length + 2]; // time, sums, kind
            Object[] after = new Object[types.length + 2];
            boolean changed = false;
            boolean nothing = true;
            for (int i = 0; i < types.length; i++) {
                before[i + 1] = old == null ? zero(types[i]) : old.get(i + 1, types[i]);
                Object more = row.isNullAt(sumsAt[i]) ? null : row.get(sumsAt[i], types[i]);
                after[i + 1] = more == null ? before[i + 1] : sum(types[i], before[i + 1], more);
                changed |= !after[i + 1].equals(before[i + 1]);
                // Sums of floating point numbers may not come back to zero.
                nothing &= types[i] instanceof DoubleType || after[i + 1].equals(zero(types[i]));
            }
            after[0] = now;
            GenericInternalRow next = new GenericInternalRow(after);
            if (nothing) {
                if (found != null) store.remove(at, family);
            } else if (changed || old == null || ttl > 0 && old.getLong(0) != now) {
                store.put(at, value.apply(next), family);
            }
            if (changed || old == null) emit(row, new GenericInternalRow(before), next);
        }

        private void emit(InternalRow row, GenericInternalRow before, GenericInternalRow after) {
            boolean was = before.getLong(count + 1) > 0;
            boolean is = after.getLong(count + 1) > 0;
            if (was) ready.add(oldRow.apply(with(row, before, is ? RowKinds.UPDATE_BEFORE : RowKinds.DELETE)));
            if (is) ready.add(newRow.apply(with(row, after, was ? RowKinds.UPDATE_AFTER : RowKinds.INSERT)));
        }

        private InternalRow with(InternalRow row, GenericInternalRow sums, UTF8String kind) {
            sums.update(types.length + 1, kind);
            return joined.apply(row, sums);
        }
    }

    private static Object zero(DataType type) {
        if (type instanceof LongType || type instanceof DayTimeIntervalType) return 0L;
        if (type instanceof DoubleType) return 0.0;
        if (type instanceof DecimalType decimal) return Decimal.apply(0L, decimal.precision(), decimal.scale());
        throw new IllegalArgumentException("a sum of type " + type.sql());
    }

    private static Object sum(DataType type, Object a, Object b) {
        if (type instanceof DoubleType) return (double) a + (double) b;
        if (!(type instanceof DecimalType)) return (long) a + (long) b; // wraps around, and back
        DecimalType decimal = (DecimalType) type;
        Decimal made = ((Decimal) a).$plus((Decimal) b);
        if (made.changePrecision(decimal.precision(), decimal.scale())) return made;
        throw QueryExecutionErrors.overflowInSumOfDecimalError(null, "try_sum");
    }
}
