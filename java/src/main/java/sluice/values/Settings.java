package sluice.values;

import com.fasterxml.jackson.databind.JsonNode;

/** A table's format settings, every one with its value. */
public final class Settings {
    private final JsonNode values;

    /** From {@code {"name": value, …}}. */
    public Settings(String json) {
        values = ValueReaders.tree(json);
    }

    public boolean flag(String name) {
        return get(name).asBoolean();
    }

    public int number(String name) {
        return get(name).asInt();
    }

    public double fraction(String name) {
        return get(name).asDouble();
    }

    public String text(String name) {
        return get(name).asText();
    }

    /** A text that there may be none of: then null. */
    public String textOrNull(String name) {
        JsonNode found = values.get(name);
        return found == null || found.isNull() ? null : found.asText();
    }

    private JsonNode get(String name) {
        JsonNode found = values.get(name);
        if (found == null) throw new IllegalArgumentException("no such setting: " + name);
        return found;
    }
}
