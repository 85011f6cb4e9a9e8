package sluice;

import com.fasterxml.jackson.databind.JsonNode;

/** A table's format settings, every one with its value. */
final class Settings {
    private final JsonNode values;

    /** From {@code {"name": value, …}}. */
    Settings(String json) {
        values = Values.tree(json);
    }

    boolean flag(String name) {
        return get(name).asBoolean();
    }

    int number(String name) {
        return get(name).asInt();
    }

    double fraction(String name) {
        return get(name).asDouble();
    }

    String text(String name) {
        return get(name).asText();
    }

    /** A text that there may be none of: then null. */
    String textOrNull(String name) {
        JsonNode found = values.get(name);
        return found == null || found.isNull() ? null : found.asText();
    }

    private JsonNode get(String name) {
        JsonNode found = values.get(name);
        if (found == null) throw new IllegalArgumentException("no such setting: " + name);
        return found;
    }
}
