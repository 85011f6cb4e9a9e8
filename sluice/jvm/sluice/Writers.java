package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** From a table's columns, described as JSON, to what writes them. */
final class Writers {
    private final Settings settings;

    Writers(Settings settings) {
        this.settings = settings;
    }

    List<Writer> all(JsonNode types) {
        List<Writer> found = new ArrayList<>();
        types.forEach(type -> found.add(of(type)));
        return found;
    }

    /** What writes values of a type. */
    Writer of(JsonNode type) {
        switch (type.get("kind").asText()) {
            case "whole":
                boolean large = type.get("low").asLong() == Long.MIN_VALUE;
                return new WriteScalars.Whole(type.get("bits").asInt(), large && quoted("64bit_integers"));
            case "unsigned64":
                return new WriteScalars.Exact(20, 0, false, quoted("64bit_integers"));
            case "floating":
                boolean small = type.get("bits").asInt() == 32;
                return new WriteScalars.Floating(small, !small && quoted("64bit_floats"),
                    quoted("denormals"));
            case "exact":
                return new WriteScalars.Exact(type.get("precision").asInt(), type.get("scale").asInt(),
                    settings.flag("output_format_decimal_trailing_zeros"), quoted("decimals"));
            case "bool":
                return new WriteScalars.Bool(settings.text("bool_true_representation"),
                    settings.text("bool_false_representation"));
            case "text":
            case "fixed":
            case "choice":
                return new WriteScalars.Text(Escapes.json(settings));
            case "uuid": return new WriteScalars.Simple();
            case "day": return new WriteTimes.Day();
            case "instant":
                return new WriteTimes.Instant(type.get("precision").asInt(),
                    type.path("zone").asText(null), settings.text("date_time_output_format"));
            case "items": return new WriteNested.Items(of(type.get("item")));
            case "pairs":
                return new WriteNested.Pairs(of(type.get("key")), of(type.get("value")),
                    settings.flag("output_format_json_map_as_array_of_tuples"));
            case "parts":
                boolean objects = settings.flag("output_format_json_named_tuples_as_objects");
                return new WriteNested.Parts(all(type.get("items")),
                    objects ? Values.texts(type.get("names")) : null, Escapes.json(settings),
                    settings.flag("output_format_json_skip_null_value_in_named_tuples"));
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    private boolean quoted(String what) {
        return settings.flag("output_format_json_quote_" + what);
    }
}
