package sluice.values;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table's format settings, every one with its value. */
public final class Settings implements Serializable {
    private final JsonNode values;

    /** From {@code {"name": value, …}}. */
    public Settings(String json) {
        values = TypeSpec.tree(json);
    }

    /** All of them, as they were given. */
    public String json() {
        return values.toString();
    }

    private Settings(JsonNode values) {
        this.values = values;
    }

    public boolean flag(String name) {
        return get(name).asBoolean();
    }

    /** A flag that may not be there: then false. */
    public boolean fixed(String name) {
        return values.path(name).asBoolean();
    }

    public int number(String name) {
        return get(name).asInt();
    }

    /** A number that may have 64 bits. */
    public long whole(String name) {
        return get(name).asLong();
    }

    public double fraction(String name) {
        return get(name).asDouble();
    }

    public String text(String name) {
        return get(name).asText();
    }

    /** A text in UTF-8. */
    public byte[] bytes(String name) {
        return text(name).getBytes(StandardCharsets.UTF_8);
    }

    /** A text that there may be none of: then null. */
    public String textOrNull(String name) {
        JsonNode found = values.get(name);
        return found == null || found.isNull() ? null : found.asText();
    }

    /** A list of texts; empty if it is not there. */
    public List<String> texts(String name) {
        List<String> found = new ArrayList<>();
        values.path(name).forEach(each -> found.add(each.asText()));
        return found;
    }

    /** Texts by their names; empty if they are not there. */
    public Map<String, String> textsByName(String name) {
        Map<String, String> found = new LinkedHashMap<>();
        values.path(name).fields().forEachRemaining(each -> found.put(each.getKey(), each.getValue().asText()));
        return found;
    }

    /** The same settings but for one. */
    public Settings with(String name, String value) {
        return new Settings(((ObjectNode) values.deepCopy()).put(name, value));
    }

    private JsonNode get(String name) {
        JsonNode found = values.get(name);
        if (found == null) throw new IllegalArgumentException("no such setting: " + name);
        return found;
    }
}
