package sluice.flink;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/** From columns, described as JSON, to what reads them from Flink's text formats. */
public final class FlinkValues {
    private final boolean lenient;
    private final boolean complete;
    private final boolean iso;

    /**
     * {@code lenient}: a value that is wrong is NULL; {@code complete}: fields may not be missing;
     * {@code iso}: moments have a T between day and time.
     */
    FlinkValues(boolean lenient, boolean complete, boolean iso) {
        this.lenient = lenient;
        this.complete = complete;
        this.iso = iso;
    }

    /** What reads a row of these columns: {@code [{"column": name, "type": {…}}, …]}. */
    FlinkNested.Parts row(String columns) {
        List<String> names = new ArrayList<>();
        List<ValueReader> values = new ArrayList<>();
        ValueReaders.tree(columns).forEach(column -> {
            names.add(column.get("column").asText());
            values.add(of(column.get("type")));
        });
        return new FlinkNested.Parts("ROW", values, names, complete, lenient);
    }

    /** What reads values of a type. */
    ValueReader of(JsonNode type) {
        String name = type.get("name").asText();
        switch (type.get("kind").asText()) {
            case "whole": return new FlinkNumbers.Whole(name, type.get("bits").asInt());
            case "floating": return new FlinkNumbers.Floating(name, type.get("bits").asInt() == 32);
            case "exact":
                return new FlinkNumbers.Exact(name, type.get("precision").asInt(),
                    type.get("scale").asInt());
            case "bool": return new FlinkTexts.Bool(name);
            case "text": return new FlinkTexts.Plain(name);
            case "bytes": return new FlinkTexts.Bytes(name);
            case "day": return new FlinkTimes.Day(name);
            case "clock": return new FlinkTimes.Clock(name, type.get("precision").asInt());
            case "local":
                return new FlinkTimes.Moment(name, type.get("precision").asInt(), iso, false);
            case "instant":
                return new FlinkTimes.Moment(name, Math.max(type.get("precision").asInt(), 0), iso, true);
            case "interval":
                return type.get("months").asBoolean() ? new FlinkNumbers.Whole(name, 32)
                    : new FlinkNumbers.Millis(name);
            case "nothing": return new FlinkTexts.Nothing(name);
            case "items": return new FlinkNested.Items(name, of(type.get("item")), lenient);
            case "pairs":
                return new FlinkNested.Pairs(name, of(type.get("key")), of(type.get("value")), lenient);
            case "parts":
                List<ValueReader> parts = new ArrayList<>();
                type.get("items").forEach(item -> parts.add(of(item)));
                return new FlinkNested.Parts(name, parts, ValueReaders.texts(type.get("names")), complete,
                    lenient);
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    /** What the values of a row are called. */
    public static List<String> names(JsonNode row) {
        List<String> given = ValueReaders.texts(row.get("names"));
        if (given != null) return given;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < row.get("items").size(); i++) names.add("f" + i);
        return names;
    }
}
