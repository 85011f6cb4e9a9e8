package sluice.changes;

import static java.util.Map.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import sluice.changes.EnvelopeField.Named;
import sluice.changes.EnvelopeField.Source;
import sluice.changes.EnvelopeField.Time;
import sluice.values.Settings;

/**
 * Debezium's change events as JSON: the row before and after, and the operation.
 *
 * <p>With a schema the envelope is under {@code payload}. Truncate events and logical decoding messages are
 * skipped.
 */
public final class DebeziumJsonDecoder extends JsonChangesDecoder {
    static final String ADVICE = ", if you are using Debezium Postgres Connector, please check the Postgres "
        + "table has been set REPLICA IDENTITY to FULL level.";
    static final Map<String, Operation> OPERATIONS = Map.of("r", Operation.INSERT, "c", Operation.INSERT,
        "u", Operation.UPDATE, "d", Operation.DELETE, "t", Operation.NONE, "m", Operation.NONE);
    private static final Layout LAYOUT =
        new Layout("Debezium", "op", "after", "before", false, false, ADVICE, OPERATIONS);
    private static final Map<String, Source> METADATA = Map.ofEntries(
        entry("schema", Source.of("schema")),
        entry("ingestion-timestamp", Source.in("ts_ms", Time.MILLISECONDS)),
        entry("source.timestamp", new Source("source", "ts_ms", Time.MILLISECONDS)),
        entry("source.database", new Source("source", "db", Time.NONE)),
        entry("source.schema", new Source("source", "schema", Time.NONE)),
        entry("source.table", new Source("source", "table", Time.NONE)),
        entry("source.properties", Source.of("source")));

    public DebeziumJsonDecoder(String columns, Settings options) {
        this(new ChangeRows(columns, options), options);
    }

    private DebeziumJsonDecoder(ChangeRows rows, Settings options) {
        this(rows, options, EnvelopeField.metadata(rows, METADATA, options),
            SchemaDrift.of(options, DeclaredType::connect));
    }

    private DebeziumJsonDecoder(ChangeRows rows, Settings options, List<Named> metadata, SchemaDrift drift) {
        super(rows, options, LAYOUT, true, wrapped(options), beside(metadata, drift),
            metadata.stream().filter(each -> !each.field().equals("schema")).toList(), 0, drift);
    }

    /** What is beside a payload: the schema, as metadata or for the types of columns. */
    private static List<Named> beside(List<Named> metadata, SchemaDrift drift) {
        List<Named> found = new ArrayList<>(EnvelopeField.types("schema", drift));
        metadata.stream().filter(each -> each.field().equals("schema")).forEach(found::add);
        return found;
    }

    private static Boolean wrapped(Settings options) {
        return options.textOrNull("schema-include") == null ? null : (Boolean) options.flag("schema-include");
    }
}
