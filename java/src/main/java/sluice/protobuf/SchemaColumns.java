package sluice.protobuf;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaRegistry;
import sluice.values.Settings;

/** The columns that a table without any takes from a schema, as text in the words of its dialect. */
public final class SchemaColumns {
    private static final Map<FieldType, String> CLICKHOUSE = Map.ofEntries(
        Map.entry(FieldType.INT32, "Int32"), Map.entry(FieldType.SINT32, "Int32"), Map.entry(FieldType.SFIXED32, "Int32"),
        Map.entry(FieldType.INT64, "Int64"), Map.entry(FieldType.SINT64, "Int64"), Map.entry(FieldType.SFIXED64, "Int64"),
        Map.entry(FieldType.UINT32, "UInt32"), Map.entry(FieldType.FIXED32, "UInt32"), Map.entry(FieldType.UINT64, "UInt64"),
        Map.entry(FieldType.FIXED64, "UInt64"), Map.entry(FieldType.BOOL, "UInt8"), Map.entry(FieldType.FLOAT, "Float32"),
        Map.entry(FieldType.DOUBLE, "Float64"), Map.entry(FieldType.STRING, "String"), Map.entry(FieldType.BYTES, "String"));
    private static final int MOST_CHARACTERS = 1 << 16;

    private final boolean flink;
    private final Set<Proto.Message> open = new HashSet<>();
    private int characters;

    private SchemaColumns(boolean flink) {
        this.flink = flink;
    }

    /** A column: its name and its type. */
    private record Column(String name, String type) {}

    /** The columns of the message that settings name by a file. */
    public static String[] ofFile(String settings) {
        return texts(SchemaSource.message(List.of(), new Settings(settings), false), false);
    }

    /** Those of the first message of a subject's newest schema; of no columns if that is none of Protobuf's. */
    public static String[] ofSubject(String settings, String subject, boolean flink) {
        RegisteredSchema schema = new SchemaRegistry(new Settings(settings)).version(subject, SchemaRegistry.LATEST);
        if (!schema.type.equals(RegisteredSchema.PROTOBUF)) return new String[0];
        Proto.Message first = RegisteredMessage.files(schema).at(new int[] {0});
        return first == null ? new String[0] : texts(first, flink);
    }

    private static String[] texts(Proto.Message message, boolean flink) {
        SchemaColumns made = new SchemaColumns(flink);
        return made.columns(message).stream().flatMap(each -> List.of(each.name, each.type).stream()).toArray(String[]::new);
    }

    private List<Column> columns(Proto.Message message) {
        if (!open.add(message)) throw SchemaError.columns("the message " + message.name + " contains itself");
        if (message.fields.isEmpty()) throw SchemaError.columns("Empty messages are not supported: " + message.name);
        List<Column> found = new ArrayList<>();
        for (Proto.Field field : message.fields) {
            Column column = column(field);
            characters += column.type.length();
            if (characters > MOST_CHARACTERS) throw SchemaError.columns("the message " + message.name + " has too many fields");
            found.add(column);
        }
        open.remove(message);
        return found;
    }

    private Column column(Proto.Field field) {
        if (field.message != null && field.message.isMapEntry) {
            List<Column> pair = columns(field.message);
            String types = pair.get(0).type + ", " + pair.get(1).type;
            return new Column(field.name, flink ? "MAP<" + types + ">" : "Map(" + types + ")");
        }
        Column one = one(field);
        if (!field.repeated) return one;
        return new Column(one.name, flink ? "ARRAY<" + one.type + ">" : "Array(" + one.type + ")");
    }

    private Column one(Proto.Field field) {
        if (field.type == FieldType.ENUM) return new Column(field.name, flink ? "STRING" : choices(field.choices));
        if (field.message == null) return new Column(field.name, flink ? flink(field.type) : CLICKHOUSE.get(field.type));
        List<Column> inside = columns(field.message);
        if (!flink && inside.size() == 1) return new Column(field.name + "_" + inside.get(0).name, inside.get(0).type);
        List<String> parts = inside.stream().map(each -> "`" + each.name + "` " + each.type).toList();
        String types = String.join(", ", parts);
        return new Column(field.name, flink ? "ROW<" + types + ">" : "Tuple(" + types + ")");
    }

    private static String flink(FieldType type) {
        switch (type) {
            case BOOL: return "BOOLEAN";
            case STRING: return "STRING";
            case BYTES: return "BYTES";
            case FLOAT: case DOUBLE: return type.name();
            default: return FlinkMatching.isLong(type) ? "BIGINT" : "INT";
        }
    }

    private static String choices(Proto.EnumType choices) {
        int most = choices.numbers.values().stream().mapToInt(Math::abs).max().orElse(0);
        if (most >= 1 << 15) throw SchemaError.columns("ClickHouse supports only 8-bit and 16-bit enums: " + choices.name);
        List<String> values = new ArrayList<>();
        Set<Integer> taken = new HashSet<>();
        choices.numbers.forEach((name, number) -> {
            if (taken.add(number)) values.add("'" + name + "' = " + number); // an alias is another name of the same value
        });
        return (most < 1 << 7 ? "Enum8(" : "Enum16(") + String.join(", ", values) + ")";
    }
}
