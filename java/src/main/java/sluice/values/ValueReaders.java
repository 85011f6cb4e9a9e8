package sluice.values;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.scan.JsonCursor;

/** From a table's columns, described as JSON, to what reads them. */
public final class ValueReaders {
    private final Settings settings;
    private final boolean numbered;

    /** {@code numbered}: whether an enum is said by its number alone. */
    public ValueReaders(Settings settings, boolean numbered) {
        this.settings = settings;
        this.numbered = numbered;
    }

    public static JsonNode tree(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException bad) {
            throw new IllegalArgumentException(bad);
        }
    }

    private List<ValueReader> all(JsonNode types) {
        List<ValueReader> found = new ArrayList<>();
        types.forEach(type -> found.add(of(type)));
        return found;
    }

    /** What reads values of a type. */
    public ValueReader of(JsonNode type) {
        ValueReader made = made(type);
        boolean nullable = type.path("nullable").asBoolean();
        boolean takesNull = nullable && !type.path("required").asBoolean();
        made.strict = !takesNull && !settings.flag("input_format_null_as_default");
        made.emptyIsDefault = settings.flag("input_format_json_empty_as_default");
        return made;
    }

    private ValueReader made(JsonNode type) {
        String name = type.get("name").asText();
        boolean nullable = type.path("nullable").asBoolean();
        switch (type.get("kind").asText()) {
            case "whole":
                return new NumberReaders.Whole(name, type.get("bits").asInt(), type.get("low").asLong(),
                    type.get("high").asLong(), nullable);
            case "unsigned64": return new NumberReaders.Unsigned64(name, nullable);
            case "floating":
                return new NumberReaders.Floating(name, type.get("bits").asInt() == 32, nullable);
            case "exact":
                return new NumberReaders.Exact(name, type.get("precision").asInt(),
                    type.get("scale").asInt(), nullable);
            case "bool": return new TextReaders.Bool(name, settings.text("bool_true_representation"),
                settings.text("bool_false_representation"), nullable);
            case "text": return new TextReaders.Plain(name, kinds(), nullable);
            case "fixed": return new TextReaders.Fixed(name, type.get("length").asInt(), nullable);
            case "uuid": return new TextReaders.Uuid(name, nullable);
            case "choice": return choice(name, type, nullable);
            case "day": return new TimeReaders.Day(name, nullable);
            case "instant":
                return new TimeReaders.Instant(name, type.get("precision").asInt(),
                    type.path("zone").asText(null), settings.text("date_time_input_format"), nullable);
            case "items": return new NestedReaders.Items(name, of(type.get("item")), nullable);
            case "pairs":
                return new NestedReaders.Pairs(name, of(type.get("key")), of(type.get("value")), nullable);
            case "parts":
                boolean objects = settings.flag("input_format_json_named_tuples_as_objects");
                return new NestedReaders.Parts(name, all(type.get("items")),
                    objects ? texts(type.get("names")) : null,
                    !settings.flag("input_format_json_defaults_for_missing_elements_in_named_tuple"),
                    !settings.flag("input_format_json_ignore_unknown_keys_in_named_tuple"), nullable);
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    /** The kinds of JSON values that may be a text. */
    private int kinds() {
        int kinds = 1 << JsonCursor.STRING;
        if (settings.flag("input_format_json_read_numbers_as_strings")) kinds |= 1 << JsonCursor.NUMBER;
        if (settings.flag("input_format_json_read_bools_as_strings")) kinds |= 1 << JsonCursor.BOOL;
        if (settings.flag("input_format_json_read_arrays_as_strings")) kinds |= 1 << JsonCursor.LIST;
        if (settings.flag("input_format_json_read_objects_as_strings")) kinds |= 1 << JsonCursor.OBJECT;
        return kinds;
    }

    private ValueReader choice(String name, JsonNode type, boolean nullable) {
        Map<String, String> said = new HashMap<>();
        type.get("values").forEach(value -> said.put(value.get(1).asText(), value.get(0).asText()));
        if (!numbered) {
            type.get("values").forEach(value -> said.put(value.get(0).asText(), value.get(0).asText()));
        }
        return new TextReaders.Choice(name, said, type.get("values").get(0).get(0).asText(), nullable);
    }

    public static List<String> texts(JsonNode names) {
        if (names == null || names.isNull()) return null;
        List<String> found = new ArrayList<>();
        names.forEach(item -> found.add(item.asText()));
        return found;
    }
}
