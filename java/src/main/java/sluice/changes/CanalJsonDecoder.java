package sluice.changes;

import static java.util.Map.entry;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import sluice.changes.EnvelopeField.Named;
import sluice.changes.EnvelopeField.Source;
import sluice.changes.EnvelopeField.Time;
import sluice.scan.JsonCursor;
import sluice.values.Settings;

/**
 * Canal's change events as JSON: the rows and, for updates, the old values of the changed columns.
 *
 * <p>Messages of other databases and tables can be excluded. DDL statements and the watermarks of TiCDC are
 * skipped.
 */
public final class CanalJsonDecoder extends JsonChangesDecoder {
    private static final Layout LAYOUT = new Layout("Canal", "type", "data", "old", true, true, ".",
        Map.ofEntries(entry("INSERT", Operation.INSERT), entry("UPDATE", Operation.UPDATE),
            entry("DELETE", Operation.DELETE), entry("CREATE", Operation.NONE), entry("ALTER", Operation.NONE),
            entry("ERASE", Operation.NONE), entry("TRUNCATE", Operation.NONE), entry("RENAME", Operation.NONE),
            entry("CINDEX", Operation.NONE), entry("DINDEX", Operation.NONE), entry("QUERY", Operation.NONE),
            entry("TIDB_WATERMARK", Operation.NONE)));
    private static final Map<String, Source> METADATA = Map.of("database", Source.of("database"),
        "table", Source.of("table"), "sql-type", Source.of("sqlType"), "pk-names", Source.of("pkNames"),
        "ingestion-timestamp", Source.in("ts", Time.MILLISECONDS),
        "event-timestamp", Source.in("es", Time.MILLISECONDS));

    public CanalJsonDecoder(String columns, Settings options) {
        this(new ChangeRows(columns, options), options, tests(options), SchemaDrift.of(options, DeclaredType::mysql));
    }

    private CanalJsonDecoder(ChangeRows rows, Settings options, List<Named> tests, SchemaDrift drift) {
        super(rows, options, LAYOUT, false, false, List.of(), fields(rows, options, tests, drift), tests.size(), drift);
    }

    private static List<Named> fields(ChangeRows rows, Settings options, List<Named> tests, SchemaDrift drift) {
        List<Named> found = new ArrayList<>(tests);
        found.addAll(EnvelopeField.types("mysqlType", drift));
        found.add(new Named("isDdl", (in, event) -> {
            byte kind = in.next();
            if (kind == JsonCursor.LIST || kind == JsonCursor.OBJECT) in.skip();
            else event.excluded |= kind == JsonCursor.BOOL && in.text[in.from] == 't';
        }));
        found.addAll(EnvelopeField.metadata(rows, METADATA, options));
        return found;
    }

    /** What a message's database and table have to match. */
    private static List<Named> tests(Settings options) {
        List<Named> found = new ArrayList<>();
        for (String field : List.of("database", "table")) {
            String wanted = options.textOrNull(field + ".include");
            if (wanted == null) continue;
            Pattern pattern = Pattern.compile(wanted);
            found.add(new Named(field, (in, event) -> {
                byte kind = in.next();
                if (kind == JsonCursor.LIST || kind == JsonCursor.OBJECT) throw in.expected("a name");
                event.tests++;
                byte[] name = Arrays.copyOfRange(in.text, in.from, in.to);
                event.excluded |= !pattern.matcher(name).matches();
            }));
        }
        return found;
    }
}
