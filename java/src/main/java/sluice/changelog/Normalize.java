package sluice.changelog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.changes.RowKinds;
import sluice.changes.SeveralPartitions;
import sluice.spark.Columns;

/**
 * From changes by key to whole rows. The changes of each key come one after the other, in their order; the row that the
 * key had and the one that it has after them are the result.
 *
 * <p>An insert or update is the key's new row, a delete removes it. The row before an update removes it too, if no row
 * of the same key follows in its message: then the key itself was changed. Values that a change does not carry are those
 * of the row that it meets. The state is the time of the last change, the row and the partition that it came from: a
 * key whose changes come from several is noted.
 */
final class Normalize implements Update {
    private final StructType in;
    private final StructType keySchema;
    private final StructType columns;
    private final int[] keyAt;
    private final int[] columnsAt;
    private final int kindAt;
    private final int placeAt;
    private final int unchangedAt;
    private final long now;
    private final long ttl;
    private final SeveralPartitions several;

    Normalize(StructType in, List<String> key, long now, long ttl, SeveralPartitions several) {
        this.in = in;
        this.now = now;
        this.ttl = ttl;
        this.several = several;
        keySchema = Rows.nullable(Rows.only(in, key));
        columns = Rows.nullable(Rows.shown(in));
        keyAt = Rows.places(in, key);
        columnsAt = Rows.places(in, List.of(columns.fieldNames()));
        kindAt = in.fieldIndex(Rows.KIND);
        placeAt = in.fieldIndex(Rows.AT);
        unchangedAt = Arrays.asList(in.fieldNames()).indexOf(Rows.UNCHANGED);
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
        return new StructType().add("time", DataTypes.LongType).add("row", DataTypes.BinaryType)
            .add("partition", DataTypes.IntegerType);
    }

    @Override
    public Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows) {
        return new Task(store, rows);
    }

    private final class Task extends KeyTask {
        private final UnsafeProjection value = UnsafeProjection.create(valueSchema());
        private final UnsafeProjection row;
        private final UnsafeProjection completed = UnsafeProjection.create(columns);
        private final Changes changes;

        // of the key whose changes are read
        private boolean stored;
        private UnsafeRow old;
        private UnsafeRow last;
        private UnsafeRow before; // what an update replaces
        private InternalRow beforeAt;
        private int partition;

        Task(StateStore store, Iterator<InternalRow> rows) {
            super(store, rows, in, keyAt);
            List<Expression> all = new ArrayList<>();
            for (int i : columnsAt) all.add(new BoundReference(i, in.apply(i).dataType(), true));
            row = UnsafeProjection.create(Columns.seq(all));
            int[] at = IntStream.range(0, columnsAt.length).toArray();
            changes = new Changes(columns, at, columnsAt.length);
        }

        @Override
        void begin() {
            UnsafeRow found = store.get(key, family);
            stored = found != null;
            boolean expired = stored && ttl > 0 && found.getLong(0) <= now - ttl;
            old = stored && !expired ? Rows.row(found.getBinary(1), columnsAt.length) : null;
            last = old;
            before = null;
            beforeAt = null;
            partition = old == null ? SeveralPartitions.UNKNOWN : found.getInt(2);
        }

        @Override
        void read(InternalRow change) {
            UTF8String kind = change.getUTF8String(kindAt);
            int from = change.isNullAt(placeAt) ? SeveralPartitions.UNKNOWN : place(change).getInt(0);
            several.compare(partition, from);
            partition = from;
            if (kind.equals(RowKinds.INSERT) || kind.equals(RowKinds.UPDATE_AFTER)) {
                UnsafeRow meets = last == null && sameMessage(change) ? before : last;
                last = whole(change, meets);
                beforeAt = null;
                return;
            }
            boolean update = kind.equals(RowKinds.UPDATE_BEFORE);
            before = update ? last : null;
            beforeAt = update ? place(change).copy() : null;
            last = null;
        }

        private boolean sameMessage(InternalRow change) {
            if (beforeAt == null) return false;
            InternalRow at = place(change);
            return at.getInt(0) == beforeAt.getInt(0) && at.getLong(1) == beforeAt.getLong(1);
        }

        private InternalRow place(InternalRow change) {
            return change.getStruct(placeAt, Rows.PLACE.length());
        }

        private UnsafeRow whole(InternalRow change, UnsafeRow meets) {
            UnsafeRow given = row.apply(change);
            if (unchangedAt < 0 || change.isNullAt(unchangedAt)) return given.copy();
            Set<String> missing = new HashSet<>();
            ArrayData names = change.getArray(unchangedAt);
            for (int i = 0; i < names.numElements(); i++) missing.add(names.getUTF8String(i).toString());
            if (missing.isEmpty()) return given.copy();
            GenericInternalRow made = new GenericInternalRow(columnsAt.length);
            for (int i = 0; i < columnsAt.length; i++) {
                InternalRow from = missing.contains(columns.apply(i).name()) ? meets : given;
                boolean none = from == null || from.isNullAt(i);
                made.update(i, none ? null : from.get(i, columns.apply(i).dataType()));
            }
            return completed.apply(made).copy();
        }

        @Override
        void end() {
            if (last == null) {
                if (stored) store.remove(key, family);
            } else if (ttl > 0 || !last.equals(old)) {
                store.put(key, value.apply(new GenericInternalRow(new Object[] {now, last.getBytes(), partition})), family);
            }
            if (last == null ? old != null : !last.equals(old)) changes.add(old, last, ready);
        }
    }
}
