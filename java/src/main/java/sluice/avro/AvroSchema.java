package sluice.avro;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** The schema that Flink gives a table's rows: one record, with null first where NULL is allowed. */
public final class AvroSchema {
    private static final String ROOT = "org.apache.flink.avro.generated.record";

    private final boolean legacy;

    private AvroSchema(boolean legacy) {
        this.legacy = legacy;
    }

    /** For columns {@code [{"column": name, "type": {…}}, …]}; {@code legacy}: times are instants. */
    public static Schema of(String columns, boolean legacy) {
        return new AvroSchema(legacy).record(ROOT, TypeSpec.columns(columns));
    }

    /** The schema for Avro's JSON encoding, null if the options have the binary one. */
    static Schema ofJson(String columns, Settings options) {
        boolean json = options.text("encoding").equals("json");
        return json ? of(columns, options.flag("timestamp_mapping.legacy")) : null;
    }

    /** What a union of null and something else holds; any other schema as it is. */
    public static Schema notNull(Schema schema) {
        if (schema.getType() != Schema.Type.UNION) return schema;
        List<Schema> held = schema.getTypes().stream().filter(each -> each.getType() != Schema.Type.NULL).toList();
        return held.size() == 1 ? held.get(0) : schema;
    }

    private Schema record(String name, List<TypeSpec.Column> columns) {
        List<Schema.Field> fields = new ArrayList<>();
        for (TypeSpec.Column column : columns) {
            Schema type = nullable(column.type(), name + "_" + column.name());
            Object byDefault = column.type().nullable() ? Schema.Field.NULL_DEFAULT_VALUE : null;
            fields.add(new Schema.Field(column.name(), type, null, byDefault));
        }
        return Schema.createRecord(name, null, null, false, fields);
    }

    private Schema nullable(TypeSpec type, String name) {
        Schema made = made(type, name);
        if (!type.nullable()) return made;
        return Schema.createUnion(Schema.create(Schema.Type.NULL), made);
    }

    private Schema made(TypeSpec type, String name) {
        switch (type.kind()) {
            case "bool": return Schema.create(Schema.Type.BOOLEAN);
            case "whole": return Schema.create(type.bits() == 64 ? Schema.Type.LONG : Schema.Type.INT);
            case "floating": return Schema.create(type.bits() == 32 ? Schema.Type.FLOAT : Schema.Type.DOUBLE);
            case "text": return Schema.create(Schema.Type.STRING);
            case "bytes": return Schema.create(Schema.Type.BYTES);
            case "exact":
                return logical(LogicalTypes.decimal(type.precision(), type.scale()), Schema.Type.BYTES);
            case "day": return logical(LogicalTypes.date(), Schema.Type.INT);
            case "clock": return logical(LogicalTypes.timeMillis(), Schema.Type.INT);
            case "local":
                return logical(legacy ? LogicalTypes.timestampMillis()
                    : LogicalTypes.localTimestampMillis(), Schema.Type.LONG);
            case "instant": return logical(LogicalTypes.timestampMillis(), Schema.Type.LONG);
            case "items": return Schema.createArray(nullable(type.inner("item"), name));
            case "pairs": return Schema.createMap(nullable(type.inner("value"), name));
            case "parts": return record(name, type.fields());
            default: throw type.unknown();
        }
    }

    private static Schema logical(LogicalType type, Schema.Type held) {
        return type.addToSchema(Schema.create(held));
    }
}
