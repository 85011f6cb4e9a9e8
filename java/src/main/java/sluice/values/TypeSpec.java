package sluice.values;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A type as Python describes it: {@code {"kind": "decimal", "name": "Decimal(9, 2)", "precision": 9, …}}. */
public record TypeSpec(JsonNode json) implements Serializable {
    /** A column of a table, or a field of a struct; a {@code wrapped} one has its value in a struct. */
    public record Column(String name, TypeSpec type, boolean wrapped) {}

    /** The columns of a table, from {@code [{"column": name, "type": {…}, "wrapped": whether}, …]}. */
    public static List<Column> columns(String json) {
        List<Column> found = new ArrayList<>();
        tree(json).forEach(each -> found.add(new Column(each.get("column").asText(),
            new TypeSpec(each.get("type")), each.path("wrapped").asBoolean())));
        return found;
    }

    /** A JSON document that Python has written. */
    public static JsonNode tree(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException bad) {
            throw new IllegalArgumentException(bad);
        }
    }

    public String kind() {
        return json.get("kind").asText();
    }

    /** The name in the user's dialect, for errors. */
    public String name() {
        return json.get("name").asText();
    }

    /** Its whole name in ClickHouse, Nullable and all. */
    public String declared() {
        return json.path("declared").asText();
    }

    public boolean nullable() {
        return json.path("nullable").asBoolean();
    }

    /** Whether a value may be NULL, and not just where a message omits it. */
    public boolean takesNull() {
        return nullable() && !json.path("required").asBoolean();
    }

    public int bits() {
        return json.get("bits").asInt();
    }

    public int precision() {
        return json.get("precision").asInt();
    }

    public int scale() {
        return json.get("scale").asInt();
    }

    /** The type of an array's {@code item}, or of a map's {@code key} or {@code value}. */
    public TypeSpec inner(String which) {
        return new TypeSpec(json.get(which));
    }

    /** The fields of a struct; their names are f0, f1, … where they have none. */
    public List<Column> fields() {
        List<Column> found = new ArrayList<>();
        for (JsonNode type : json.get("items")) {
            String name = isNamed() ? json.get("names").get(found.size()).asText() : "f" + found.size();
            found.add(new Column(name, new TypeSpec(type), false));
        }
        return found;
    }

    /** Whether the fields of a struct have names, which those of a tuple may not have. */
    public boolean isNamed() {
        return !json.path("names").isEmpty();
    }

    /** No format has values of this kind: the Python side should have refused the table. */
    public IllegalArgumentException unknown() {
        return new IllegalArgumentException("unknown kind of type: " + json);
    }
}
