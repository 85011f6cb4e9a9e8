package sluice.registry;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** The JSON Schema of rows, in draft 7; what JSON has one kind of number for is told apart as Kafka Connect does. */
public final class JsonSchema {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonSchema() {}

    public static String of(List<TypeSpec.Column> columns, String title) {
        ObjectNode made = JSON.createObjectNode().put("$schema", "http://json-schema.org/draft-07/schema#").put("title", title);
        return object(made, columns).toString();
    }

    /**
     * The text of a subject's newest schema, and the names and texts of those that it refers to, each after
     * the other; nothing if it is none of JSON's.
     */
    public static String[] newest(String settings, String subject) {
        RegisteredSchema found = new SchemaRegistry(new Settings(settings)).version(subject, SchemaRegistry.LATEST);
        List<String> texts = new ArrayList<>();
        if (found.type.equals(RegisteredSchema.JSON)) {
            texts.add(found.text);
            found.dependencies().forEach((name, schema) -> texts.addAll(List.of(name, schema.text)));
        }
        return texts.toArray(new String[0]);
    }

    private static ObjectNode object(ObjectNode made, List<TypeSpec.Column> columns) {
        ObjectNode properties = made.put("type", "object").putObject("properties");
        for (int i = 0; i < columns.size(); i++) {
            ObjectNode property = property(columns.get(i).type()).put("connect.index", i);
            properties.set(columns.get(i).name(), property);
        }
        return made;
    }

    private static ObjectNode property(TypeSpec type) {
        ObjectNode made = plain(type);
        if (!type.nullable()) return made;
        ObjectNode either = JSON.createObjectNode();
        either.putArray("oneOf").add(JSON.createObjectNode().put("type", "null")).add(made);
        return either;
    }

    private static ObjectNode plain(TypeSpec type) {
        ObjectNode made = JSON.createObjectNode();
        switch (type.kind()) {
            case "whole": return made.put("type", "integer").put("connect.type", "int" + type.bits());
            case "unsigned64": return made.put("type", "integer");
            case "floating": return made.put("type", "number").put("connect.type", "float" + type.bits());
            case "exact": return made.put("type", "number");
            case "bool": return made.put("type", "boolean");
            case "items":
                made.put("type", "array").set("items", property(type.inner("item")));
                return made;
            case "pairs":
                made.put("type", "object").put("connect.type", "map").set("additionalProperties", property(type.inner("value")));
                return made;
            case "parts": return object(made, type.fields());
            case "json": return made;
            default: return made.put("type", "string");
        }
    }
}
