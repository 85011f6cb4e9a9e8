package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** From the name of a format to what writes it. */
public final class Encoders {
    private Encoders() {}

    /** For columns {@code [{"column": name, "type": {…}}, …]} and settings, both as JSON. */
    public static Encoder of(String format, String columns, String settings) {
        JsonNode described = Values.tree(columns);
        Settings given = new Settings(settings);
        Writers writers = new Writers(given);
        List<String> names = new ArrayList<>();
        List<Writer> values = new ArrayList<>();
        described.forEach(column -> {
            names.add(column.get("column").asText());
            values.add(writers.of(column.get("type")));
        });
        switch (format) {
            case "JSONEachRow": return new ToJson(values, names, given);
            case "JSONCompactEachRow": return new ToJson.Compact(values);
            case "CSV": return new ToSeparated.Csv(values, names, given, false);
            case "CSVWithNames": return new ToSeparated.Csv(values, names, given, true);
            case "TabSeparated": return new ToSeparated.Tabs(values, names, given, false, false);
            case "TabSeparatedWithNames": return new ToSeparated.Tabs(values, names, given, true, false);
            case "TSKV": return new ToTskv(values, names, given);
            case "JSONAsString":
            case "LineAsString": return new ToSeparated.Tabs(values, names, given, false, true);
            case "RawBLOB": return new ToBytes(values);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }

    /** The same for a format of Flink's and its options. */
    public static FlinkEncoder flink(String format, String columns, String options) {
        Settings given = new Settings(options);
        switch (format) {
            case "json": return new FlinkToJson(columns, given);
            case "csv": return new FlinkCsvWrite(columns, given);
            case "avro": return new FlinkAvroWrite(columns, given);
            case "avro-confluent": return new FlinkConfluent.Write(columns, given);
            case "raw": return new FlinkRaw.Write(columns, given);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }
}
