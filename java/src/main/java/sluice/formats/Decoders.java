package sluice.formats;

import sluice.avro.AvroDecoder;
import sluice.avro.ConfluentAvro;
import sluice.decode.Decoder;
import sluice.decode.TableColumns;
import sluice.flink.FlinkCsvDecoder;
import sluice.flink.FlinkDecoder;
import sluice.flink.FlinkJsonDecoder;
import sluice.flink.FlinkRaw;
import sluice.json.JsonAsStringDecoder;
import sluice.json.JsonCompactEachRowDecoder;
import sluice.json.JsonEachRowDecoder;
import sluice.text.CsvDecoder;
import sluice.text.TskvDecoder;
import sluice.text.TsvDecoder;
import sluice.text.WholeMessageDecoder;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/** From the name of a format to what reads it. */
public final class Decoders {
    private Decoders() {}

    /** For columns {@code [{"column": name, "type": {…}}, …]} and settings, both as JSON. */
    public static Decoder of(String format, String columns, String settings) {
        Settings given = new Settings(settings);
        TableColumns table = new TableColumns(columns, new ValueReaders(given, numbered(format, given)));
        switch (format) {
            case "JSONEachRow": return new JsonEachRowDecoder(table, given);
            case "JSONCompactEachRow": return new JsonCompactEachRowDecoder(table, given);
            case "JSONAsString": return new JsonAsStringDecoder(table, given);
            case "CSV": return new CsvDecoder(table, given, false);
            case "CSVWithNames": return new CsvDecoder(table, given, true);
            case "TabSeparated": return new TsvDecoder(table, given, false);
            case "TabSeparatedWithNames": return new TsvDecoder(table, given, true);
            case "TSKV": return new TskvDecoder(table, given);
            case "LineAsString": return new WholeMessageDecoder(table, given, true);
            case "RawBLOB": return new WholeMessageDecoder(table, given, false);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }

    /** The same for a format of Flink's and its options. */
    public static FlinkDecoder flink(String format, String columns, String options) {
        Settings given = new Settings(options);
        switch (format) {
            case "json": return new FlinkJsonDecoder(columns, given);
            case "csv": return new FlinkCsvDecoder(columns, given);
            case "avro": return new AvroDecoder(columns, given);
            case "avro-confluent": return new ConfluentAvro.Read(columns, given);
            case "raw": return new FlinkRaw.Read(columns, given);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }

    private static boolean numbered(String format, Settings given) {
        if (format.startsWith("CSV")) return given.flag("input_format_csv_enum_as_number");
        return format.startsWith("T") && given.flag("input_format_tsv_enum_as_number");
    }
}
