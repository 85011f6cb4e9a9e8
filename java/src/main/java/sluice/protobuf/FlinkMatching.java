package sluice.protobuf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import sluice.errors.ConditionException;
import sluice.values.TypeSpec;

/** Finds the field of each column by its very name, and makes sure that its type is the one Flink has for it. */
final class FlinkMatching {
    private static final Map<FieldType, String> JAVA = Map.ofEntries(
        Map.entry(FieldType.BOOL, "BOOLEAN"), Map.entry(FieldType.BYTES, "BYTE_STRING"), Map.entry(FieldType.DOUBLE, "DOUBLE"),
        Map.entry(FieldType.FLOAT, "FLOAT"), Map.entry(FieldType.ENUM, "ENUM"), Map.entry(FieldType.STRING, "STRING"));

    private final boolean lenient;

    private FlinkMatching(boolean lenient) {
        this.lenient = lenient;
    }

    private static ConditionException wrong(String problem) {
        return new ConditionException("FORMAT_COLUMNS_UNSUPPORTED", Map.of("format", "protobuf", "problem", problem));
    }

    static Plan.Message record(List<TypeSpec.Column> columns, Proto.Message message) {
        return new FlinkMatching(false).message(columns, message, null);
    }

    /** The same for a schema that may lack fields, which are NULL then. */
    static Plan.Message known(List<TypeSpec.Column> columns, Proto.Message message) {
        return new FlinkMatching(true).message(columns, message, null);
    }

    private Plan.Message message(List<TypeSpec.Column> columns, Proto.Message message, Proto.Field in) {
        List<Plan.Part> parts = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            TypeSpec.Column column = columns.get(i);
            Proto.Field field = message.fields.stream().filter(each -> each.name.equals(column.name())).findFirst().orElse(null);
            if (field == null && lenient) continue;
            if (field == null) throw wrong("Column " + column.name() + " does not exist in definition of proto class.");
            parts.add(new Plan.Part(field, new int[] {i}, column.name(), field(field, column.type(), field.repeated)));
        }
        parts.sort(Comparator.comparingInt(part -> part.field().number));
        return new Plan.Message(message, in, columns, parts, List.of());
    }

    private Plan field(Proto.Field field, TypeSpec type, boolean repeated) {
        if (!repeated) return field.type.isMessage() ? struct(field, type) : simple(field, type);
        if (field.message != null && field.message.isMapEntry) {
            expect(type, "pairs", "MapType");
            List<TypeSpec.Column> columns = List.of(new TypeSpec.Column("key", type.inner("key"), false),
                new TypeSpec.Column("value", type.inner("value"), false));
            return new Plan.MapValue(type, new Plan.Struct(type, message(columns, field.message, field)));
        }
        expect(type, "items", "ArrayType");
        return new Plan.ArrayValue(type, field(field, type.inner("item"), false));
    }

    private Plan struct(Proto.Field field, TypeSpec type) {
        expect(type, "parts", "RowType");
        return new Plan.Struct(type, message(type.fields(), field.message, field));
    }

    private static void expect(TypeSpec type, String kind, String called) {
        if (!type.kind().equals(kind)) throw wrong("Unexpected LogicalType: " + type.name() + ". It should be " + called);
    }

    private static Plan simple(Proto.Field field, TypeSpec type) {
        String kind = type.kind();
        boolean fits = switch (field.type) {
            case BOOL -> kind.equals("bool");
            case BYTES -> kind.equals("bytes");
            case STRING -> kind.equals("text");
            case DOUBLE, FLOAT -> kind.equals("floating") && (type.bits() == 64) == (field.type == FieldType.DOUBLE);
            case ENUM -> kind.equals("text") || kind.equals("whole");
            default -> kind.equals("whole") && type.bits() == (isLong(field.type) ? 64 : 32);
        };
        if (fits) return new Plan.Value(type, field);
        String java = JAVA.getOrDefault(field.type, isLong(field.type) ? "LONG" : "INT");
        throw wrong("Protobuf field type does not match column type, " + java + "(protobuf) is not compatible with "
            + type.name() + " (column " + field.name + ")");
    }

    static boolean isLong(FieldType type) {
        return type.name().endsWith("64");
    }
}
