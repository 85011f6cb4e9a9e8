package sluice.registry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A schema that a registry has, with those that it refers to. */
public final class RegisteredSchema {
    /** The kinds of schemas, as registries name them. */
    public static final String AVRO = "AVRO", PROTOBUF = "PROTOBUF", JSON = "JSON";

    /** A schema that another one refers to by a name: a type, a file or a URL. */
    public record Reference(String name, String subject, int version, RegisteredSchema schema) {}

    public final String type;
    public final String text;
    public final List<Reference> references;
    private volatile Object parsed;

    public RegisteredSchema(String type, String text, List<Reference> references) {
        this.type = type;
        this.text = text;
        this.references = List.copyOf(references);
    }

    /** Its kind: AVRO, PROTOBUF or JSON. */
    public String type() {
        return type;
    }

    /** What a parser makes of it, kept for whoever asks next; a schema has one parser. */
    @SuppressWarnings("unchecked")
    public <T> T parsed(Function<RegisteredSchema, T> parser) {
        Object found = parsed;
        if (found == null) parsed = found = parser.apply(this);
        return (T) found;
    }

    /** The schemas it refers to, directly or not, each after those that it refers to itself, by their names. */
    public Map<String, RegisteredSchema> dependencies() {
        Map<String, RegisteredSchema> found = new LinkedHashMap<>();
        collect(found);
        return found;
    }

    private void collect(Map<String, RegisteredSchema> found) {
        for (Reference each : references) {
            if (found.containsKey(each.name)) continue;
            each.schema.collect(found);
            found.putIfAbsent(each.name, each.schema);
        }
    }

    /** How many characters it and those that it refers to have. */
    int length() {
        int length = text.length();
        for (Reference each : references) length += each.schema.length();
        return length;
    }
}
