package sluice.avro;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import sluice.flink.FlinkValues;
import sluice.values.ValueReaders;

/** The schema that Flink gives a table's rows: one record, with null first where NULL is allowed. */
public final class AvroSchema {
    private static final String ROOT = "org.apache.flink.avro.generated.record";

    private final boolean legacy;

    private AvroSchema(boolean legacy) {
        this.legacy = legacy;
    }

    /** For columns {@code [{"column": name, "type": {…}}, …]}; {@code legacy}: times are instants. */
    public static Schema of(String columns, boolean legacy) {
        JsonNode nodes = ValueReaders.tree(columns);
        List<String> names = new ArrayList<>();
        List<JsonNode> types = new ArrayList<>();
        nodes.forEach(column -> {
            names.add(column.get("column").asText());
            types.add(column.get("type"));
        });
        return new AvroSchema(legacy).record(ROOT, names, types);
    }

    private Schema record(String name, List<String> names, List<JsonNode> types) {
        List<Schema.Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Schema type = nullable(types.get(i), name + "_" + names.get(i));
            boolean none = types.get(i).path("nullable").asBoolean();
            fields.add(none
                ? new Schema.Field(names.get(i), type, null, Schema.Field.NULL_DEFAULT_VALUE)
                : new Schema.Field(names.get(i), type, null, (Object) null));
        }
        return Schema.createRecord(name, null, null, false, fields);
    }

    private Schema nullable(JsonNode type, String name) {
        Schema made = made(type, name);
        if (!type.path("nullable").asBoolean()) return made;
        return Schema.createUnion(Schema.create(Schema.Type.NULL), made);
    }

    private Schema made(JsonNode type, String name) {
        switch (type.get("kind").asText()) {
            case "bool": return Schema.create(Schema.Type.BOOLEAN);
            case "whole":
                boolean wide = type.get("bits").asInt() == 64;
                return Schema.create(wide ? Schema.Type.LONG : Schema.Type.INT);
            case "floating":
                boolean small = type.get("bits").asInt() == 32;
                return Schema.create(small ? Schema.Type.FLOAT : Schema.Type.DOUBLE);
            case "text": return Schema.create(Schema.Type.STRING);
            case "bytes": return Schema.create(Schema.Type.BYTES);
            case "exact":
                return logical(LogicalTypes.decimal(type.get("precision").asInt(),
                    type.get("scale").asInt()), Schema.Type.BYTES);
            case "day": return logical(LogicalTypes.date(), Schema.Type.INT);
            case "clock": return logical(LogicalTypes.timeMillis(), Schema.Type.INT);
            case "local":
                return logical(legacy ? LogicalTypes.timestampMillis()
                    : LogicalTypes.localTimestampMillis(), Schema.Type.LONG);
            case "instant": return logical(LogicalTypes.timestampMillis(), Schema.Type.LONG);
            case "items": return Schema.createArray(nullable(type.get("item"), name));
            case "pairs": return Schema.createMap(nullable(type.get("value"), name));
            case "parts":
                List<JsonNode> parts = new ArrayList<>();
                type.get("items").forEach(parts::add);
                return record(name, FlinkValues.names(type), parts);
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    private static Schema logical(LogicalType type, Schema.Type held) {
        return type.addToSchema(Schema.create(held));
    }
}
