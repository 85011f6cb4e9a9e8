package sluice.changelog;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.types.StructType;

/**
 * What a step does with its state: one task updates the store of one partition.
 *
 * <p>Unless a step says otherwise, a key has one entry, and the first column of its value is the time of its last change.
 */
interface Update extends Serializable {
    StructType keySchema();

    StructType valueSchema();

    default KeyStateEncoderSpec encoding() {
        return new NoPrefixKeyStateEncoderSpec(keySchema());
    }

    /** Whether the store has entries of several schemas. */
    default boolean hasColumnFamilies() {
        return false;
    }

    /** The rows that the task produces; the store is committed when all of them were read. */
    Iterator<InternalRow> apply(StateStore store, Iterator<InternalRow> rows);

    /** Remove what was not changed after {@code oldest}, in milliseconds. */
    default void sweep(StateStore store, long oldest) {
        String family = StateStore.DEFAULT_COL_FAMILY_NAME();
        try (StateStoreIterator<UnsafeRowPair> all = store.iterator(family)) {
            while (all.hasNext()) {
                UnsafeRowPair each = all.next();
                if (each.value().getLong(0) <= oldest) store.remove(each.key(), family);
            }
        }
    }
}
