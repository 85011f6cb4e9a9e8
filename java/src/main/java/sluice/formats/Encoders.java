package sluice.formats;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import sluice.avro.AvroEncoder;
import sluice.avro.ConfluentAvro;
import sluice.encode.Encoder;
import sluice.flink.FlinkCsvEncoder;
import sluice.flink.FlinkEncoder;
import sluice.flink.FlinkJsonEncoder;
import sluice.flink.FlinkRaw;
import sluice.json.JsonEncoder;
import sluice.text.RawBlobEncoder;
import sluice.text.SeparatedEncoder;
import sluice.text.TskvEncoder;
import sluice.values.Settings;
import sluice.values.ValueReaders;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/** From the name of a format to what writes it. */
public final class Encoders {
    private Encoders() {}

    /** For columns {@code [{"column": name, "type": {…}}, …]} and settings, both as JSON. */
    public static Encoder of(String format, String columns, String settings) {
        JsonNode described = ValueReaders.tree(columns);
        Settings given = new Settings(settings);
        ValueWriters writers = new ValueWriters(given);
        List<String> names = new ArrayList<>();
        List<ValueWriter> values = new ArrayList<>();
        described.forEach(column -> {
            names.add(column.get("column").asText());
            values.add(writers.of(column.get("type")));
        });
        switch (format) {
            case "JSONEachRow": return new JsonEncoder(values, names, given);
            case "JSONCompactEachRow": return new JsonEncoder.Compact(values);
            case "CSV": return new SeparatedEncoder.Csv(values, names, given, false);
            case "CSVWithNames": return new SeparatedEncoder.Csv(values, names, given, true);
            case "TabSeparated": return new SeparatedEncoder.Tabs(values, names, given, false, false);
            case "TabSeparatedWithNames": return new SeparatedEncoder.Tabs(values, names, given, true, false);
            case "TSKV": return new TskvEncoder(values, names, given);
            case "JSONAsString":
            case "LineAsString": return new SeparatedEncoder.Tabs(values, names, given, false, true);
            case "RawBLOB": return new RawBlobEncoder(values);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }

    /** The same for a format of Flink's and its options. */
    public static FlinkEncoder flink(String format, String columns, String options) {
        Settings given = new Settings(options);
        switch (format) {
            case "json": return new FlinkJsonEncoder(columns, given);
            case "csv": return new FlinkCsvEncoder(columns, given);
            case "avro": return new AvroEncoder(columns, given);
            case "avro-confluent": return new ConfluentAvro.Write(columns, given);
            case "raw": return new FlinkRaw.Write(columns, given);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }
}
