package sluice.changelog;

import java.util.List;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.types.StructType;

/**
 * A step that keeps the rows of its inputs by key; its tasks are {@link RowsTask}s.
 *
 * <p>In the state each row is an entry. Entries are scanned by the columns of {@code prefix}, the first ones of an entry's key.
 */
abstract class RowsByKey implements Update {
    final StructType in;
    final int keys;
    final long now;
    final long ttl;

    private final StructType prefix;
    private final StructType entry;
    private final StructType value;

    /** @param keys how many columns of {@code in}, its first ones, are the key */
    RowsByKey(StructType in, int keys, StructType prefix, StructType entry, StructType value, long now, long ttl) {
        this.in = in;
        this.keys = keys;
        this.prefix = prefix;
        this.entry = entry;
        this.value = value;
        this.now = now;
        this.ttl = ttl;
    }

    final List<String> key() {
        return List.of(in.fieldNames()).subList(0, keys);
    }

    @Override
    public final StructType keySchema() {
        return entry;
    }

    @Override
    public final StructType valueSchema() {
        return value;
    }

    @Override
    public final KeyStateEncoderSpec encoding() {
        return new PrefixKeyScanStateEncoderSpec(entry, prefix.length());
    }
}
