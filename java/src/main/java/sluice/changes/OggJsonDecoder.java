package sluice.changes;

import java.util.List;
import java.util.Map;
import sluice.changes.EnvelopeField.Source;
import sluice.changes.EnvelopeField.Time;
import sluice.values.Settings;

/** Oracle GoldenGate's change events as JSON: the row before and after. Truncate events are skipped. */
public final class OggJsonDecoder extends JsonChangesDecoder {
    private static final Layout LAYOUT = new Layout("Ogg", "op_type", "after", "before", false, false,
        ", if you are using Ogg Postgres Connector, please check the Postgres table has been set REPLICA "
            + "IDENTITY to FULL level.",
        Map.of("I", Operation.INSERT, "U", Operation.UPDATE, "D", Operation.DELETE, "T", Operation.NONE));
    private static final Map<String, Source> METADATA = Map.of("table", Source.of("table"),
        "primary-keys", Source.of("primary_keys"),
        "ingestion-timestamp", Source.in("current_ts", Time.ISO),
        "event-timestamp", Source.in("op_ts", Time.SQL));

    public OggJsonDecoder(String columns, Settings options) {
        this(new ChangeRows(columns, options), options);
    }

    private OggJsonDecoder(ChangeRows rows, Settings options) {
        super(rows, options, LAYOUT, false, false, List.of(), EnvelopeField.metadata(rows, METADATA, options), 0,
            SchemaDrift.of(options, null));
    }
}
