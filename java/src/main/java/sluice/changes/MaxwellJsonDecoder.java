package sluice.changes;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import sluice.changes.EnvelopeField.Source;
import sluice.changes.EnvelopeField.Time;
import sluice.values.Settings;

/**
 * Maxwell's change events as JSON: a row and, for an update, the old values of the changed columns.
 *
 * <p>The rows of a bootstrap are inserts; DDL statements are skipped.
 */
public final class MaxwellJsonDecoder extends JsonChangesDecoder {
    private static final Layout LAYOUT = new Layout("Maxwell", "type", "data", "old", true, false, ".",
        Map.ofEntries(entry("insert", Operation.INSERT), entry("bootstrap-insert", Operation.INSERT),
            entry("update", Operation.UPDATE), entry("delete", Operation.DELETE),
            entry("bootstrap-start", Operation.NONE), entry("bootstrap-complete", Operation.NONE),
            entry("table-create", Operation.NONE), entry("table-alter", Operation.NONE),
            entry("table-drop", Operation.NONE), entry("database-create", Operation.NONE),
            entry("database-alter", Operation.NONE), entry("database-drop", Operation.NONE)));
    private static final Map<String, Source> METADATA = Map.of("database", Source.of("database"),
        "table", Source.of("table"), "primary-key-columns", Source.of("primary_key_columns"),
        "ingestion-timestamp", Source.in("ts", Time.SECONDS));

    public MaxwellJsonDecoder(String columns, Settings options) {
        this(new ChangeRows(columns, options), options);
    }

    private MaxwellJsonDecoder(ChangeRows rows, Settings options) {
        super(rows, options, LAYOUT, false, false, List.of(), EnvelopeField.metadata(rows, METADATA, options), 0,
            SchemaDrift.of(options, null));
    }
}
