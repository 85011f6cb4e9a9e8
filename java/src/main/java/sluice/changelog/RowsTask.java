package sluice.changelog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.types.StructType;

/**
 * A task that keeps the rows of several inputs by key.
 *
 * <p>What it reads has the columns of the key, the number of the input, the weight 1 or -1, the place of the change, and
 * for each input a column with its row, sorted by key. The changes of one key are read at a time.
 */
abstract class RowsTask extends StateTask {
    /** What a batch does to a row. */
    static final class Change {
        long weight;
        byte[] seq; // of the last insert
    }

    final List<Map<UnsafeRow, Change>> changes = new ArrayList<>();
    byte[] key;
    StateStoreIterator<UnsafeRowPair> scan; // of rows of the key

    private final StructType in;
    private final int keys;
    private final UnsafeProjection keyOf;
    private InternalRow ahead;

    RowsTask(StateStore store, Iterator<InternalRow> rows, StructType in, int inputs, int keys) {
        super(store, rows);
        this.in = in;
        this.keys = keys;
        keyOf = Rows.key(in, IntStream.range(0, keys).toArray());
        for (int i = 0; i < inputs; i++) changes.add(new LinkedHashMap<>());
        TaskContext.get().addTaskCompletionListener(context -> {
            if (scan != null) scan.close();
        });
    }

    /** Read the changes of the next key; false if there is none. */
    final boolean nextKey() {
        changes.forEach(Map::clear);
        if (ahead == null) {
            if (!rows.hasNext()) return false;
            ahead = rows.next();
        }
        UnsafeRow of = keyOf.apply(ahead).copy();
        key = of.getBytes();
        while (ahead != null && (keys == 0 || keyOf.apply(ahead).equals(of))) {
            note(ahead);
            ahead = rows.hasNext() ? rows.next() : null;
        }
        return true;
    }

    private void note(InternalRow row) {
        int input = row.getInt(keys);
        int weight = row.getInt(keys + 1);
        UnsafeRow given = (UnsafeRow) row.getStruct(keys + 3 + input, fields(input));
        Map<UnsafeRow, Change> of = changes.get(input);
        Change change = of.get(given);
        if (change == null) {
            change = new Change();
            of.put(given.copy(), change);
        }
        change.weight += weight;
        byte[] seq = weight > 0 ? seq(row.isNullAt(keys + 2) ? null : row.getStruct(keys + 2, Rows.PLACE.length())) : null;
        if (seq != null && (change.seq == null || Arrays.compareUnsigned(seq, change.seq) > 0)) change.seq = seq;
    }

    /** A row's place in the order of arrival, if that is kept. */
    byte[] seq(InternalRow place) {
        return null;
    }

    final int fields(int input) {
        return ((StructType) in.apply(keys + 3 + input).dataType()).length();
    }
}
