package sluice.changelog;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;

/** One task of a step: it reads rows, updates the store of its partition and gives the rows of the result. */
abstract class StateTask implements Iterator<InternalRow> {
    final StateStore store;
    final Iterator<InternalRow> rows;
    final String family = StateStore.DEFAULT_COL_FAMILY_NAME();
    final Deque<InternalRow> ready = new ArrayDeque<>();

    StateTask(StateStore store, Iterator<InternalRow> rows) {
        this.store = store;
        this.rows = rows;
    }

    /** Reads a part of the rows, and adds to the result what they make; false if nothing is left. */
    abstract boolean advance();

    @Override
    public final boolean hasNext() {
        boolean more = true;
        while (more && ready.isEmpty()) more = advance();
        return !ready.isEmpty();
    }

    @Override
    public InternalRow next() {
        if (!hasNext()) throw new NoSuchElementException();
        return ready.poll();
    }
}
