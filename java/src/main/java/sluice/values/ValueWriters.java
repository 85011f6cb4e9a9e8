package sluice.values;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** From a table's columns, described as JSON, to what writes them. */
public final class ValueWriters {
    private final Settings settings;

    public ValueWriters(Settings settings) {
        this.settings = settings;
    }

    List<ValueWriter> all(JsonNode types) {
        List<ValueWriter> found = new ArrayList<>();
        types.forEach(type -> found.add(of(type)));
        return found;
    }

    /** What writes values of a type. */
    public ValueWriter of(JsonNode type) {
        switch (type.get("kind").asText()) {
            case "whole":
                boolean large = type.get("low").asLong() == Long.MIN_VALUE;
                return new ScalarWriters.Whole(type.get("bits").asInt(), large && quoted("64bit_integers"));
            case "unsigned64":
                return new ScalarWriters.Exact(20, 0, false, quoted("64bit_integers"));
            case "floating":
                boolean small = type.get("bits").asInt() == 32;
                return new ScalarWriters.Floating(small, !small && quoted("64bit_floats"),
                    quoted("denormals"));
            case "exact":
                return new ScalarWriters.Exact(type.get("precision").asInt(), type.get("scale").asInt(),
                    settings.flag("output_format_decimal_trailing_zeros"), quoted("decimals"));
            case "bool":
                return new ScalarWriters.Bool(settings.text("bool_true_representation"),
                    settings.text("bool_false_representation"));
            case "text":
            case "fixed":
            case "choice":
                return new ScalarWriters.Text(Escapes.json(settings));
            case "uuid": return new ScalarWriters.Simple();
            case "day": return new TimeWriters.Day();
            case "instant":
                return new TimeWriters.Instant(type.get("precision").asInt(),
                    type.path("zone").asText(null), settings.text("date_time_output_format"));
            case "items": return new NestedWriters.Items(of(type.get("item")));
            case "pairs":
                return new NestedWriters.Pairs(of(type.get("key")), of(type.get("value")),
                    settings.flag("output_format_json_map_as_array_of_tuples"));
            case "parts":
                boolean objects = settings.flag("output_format_json_named_tuples_as_objects");
                return new NestedWriters.Parts(all(type.get("items")),
                    objects ? ValueReaders.texts(type.get("names")) : null, Escapes.json(settings),
                    settings.flag("output_format_json_skip_null_value_in_named_tuples"));
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    private boolean quoted(String what) {
        return settings.flag("output_format_json_quote_" + what);
    }
}
