package sluice.flink;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.values.Escapes;
import sluice.values.NestedWriters;
import sluice.values.Output;
import sluice.values.ScalarWriters;
import sluice.values.Settings;
import sluice.values.ValueReaders;
import sluice.values.ValueWriter;

/** A row as a JSON object, as Flink writes it. */
public final class FlinkJsonEncoder extends FlinkEncoder {
    private static final int MOST_ROOM = 1 << 16;

    private final NestedWriters.Parts object;
    private int room = 256; // as much as messages had need of so far

    public FlinkJsonEncoder(String columns, Settings options) {
        List<String> names = new ArrayList<>();
        List<ValueWriter> values = new ArrayList<>();
        ValueReaders.tree(columns).forEach(column -> {
            names.add(column.get("column").asText());
            values.add(of(column.get("type"), options));
        });
        object = parts(values, names, options);
    }

    @Override
    public byte[] row(InternalRow row) {
        Output out = new Output(room);
        object.object(row, out);
        if (out.size > room) room = Math.min(out.size + out.size / 4, MOST_ROOM);
        return out.message();
    }

    private static NestedWriters.Parts parts(List<ValueWriter> values, List<String> names, Settings options) {
        return new NestedWriters.Parts(values, names, Escapes.JACKSON,
            options.flag("encode.ignore-null-fields"));
    }

    private static ValueWriter of(JsonNode type, Settings options) {
        boolean iso = options.text("timestamp-format.standard").equals("ISO-8601");
        switch (type.get("kind").asText()) {
            case "whole": return new ScalarWriters.Whole(type.get("bits").asInt(), false);
            case "floating": return new FlinkWrite.Floating(type.get("bits").asInt() == 32);
            case "exact":
                return new FlinkWrite.Exact(type.get("precision").asInt(), type.get("scale").asInt(),
                    options.flag("encode.decimal-as-plain-number"));
            case "bool": return new ScalarWriters.Bool("true", "false");
            case "nothing":
            case "text": return new ScalarWriters.Text(Escapes.JACKSON);
            case "bytes": return new FlinkWrite.Bytes();
            case "day": return new FlinkWrite.Day();
            case "clock": return new FlinkWrite.Clock();
            case "local": return new FlinkWrite.Moment(iso, false);
            case "instant": return new FlinkWrite.Moment(iso, true);
            case "interval":
                return type.get("months").asBoolean() ? new ScalarWriters.Whole(32, false)
                    : new FlinkWrite.Millis();
            case "items": return new NestedWriters.Items(of(type.get("item"), options));
            case "pairs":
                return new FlinkWrite.Pairs(of(type.get("key"), options),
                    of(type.get("value"), options), options.text("map-null-key.mode"),
                    options.text("map-null-key.literal"));
            case "parts":
                List<ValueWriter> parts = new ArrayList<>();
                type.get("items").forEach(item -> parts.add(of(item, options)));
                return parts(parts, ValueReaders.texts(type.get("names")), options);
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }
}
