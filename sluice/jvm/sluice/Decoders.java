package sluice;

/** From the name of a format to what reads it. */
public final class Decoders {
    private Decoders() {}

    /** For columns {@code [{"column": name, "type": {…}}, …]} and settings, both as JSON. */
    public static Decoder of(String format, String columns, String settings) {
        Settings given = new Settings(settings);
        Table table = new Table(columns, new Values(given, numbered(format, given)));
        switch (format) {
            case "JSONEachRow": return new JsonEachRow(table, given);
            case "JSONCompactEachRow": return new JsonCompactEachRow(table, given);
            case "JSONAsString": return new JsonAsString(table, given);
            case "CSV": return new Csv(table, given, false);
            case "CSVWithNames": return new Csv(table, given, true);
            case "TabSeparated": return new Tabs(table, given, false);
            case "TabSeparatedWithNames": return new Tabs(table, given, true);
            case "TSKV": return new Tskv(table, given);
            case "LineAsString": return new Whole(table, given, true);
            case "RawBLOB": return new Whole(table, given, false);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }

    /** The same for a format of Flink's and its options. */
    public static FlinkDecoder flink(String format, String columns, String options) {
        Settings given = new Settings(options);
        switch (format) {
            case "json": return new FlinkJson(columns, given);
            case "csv": return new FlinkCsvRead(columns, given);
            case "avro": return new FlinkAvroRead(columns, given);
            case "avro-confluent": return new FlinkConfluent.Read(columns, given);
            case "raw": return new FlinkRaw.Read(columns, given);
            default: throw new IllegalArgumentException("unknown format: " + format);
        }
    }

    private static boolean numbered(String format, Settings given) {
        if (format.startsWith("CSV")) return given.flag("input_format_csv_enum_as_number");
        return format.startsWith("T") && given.flag("input_format_tsv_enum_as_number");
    }
}
