package sluice.capnproto;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.capnproto.Schema.Field;
import sluice.capnproto.Schema.Kind;
import sluice.capnproto.Schema.Struct;
import sluice.capnproto.Schema.Type;
import sluice.values.TypeSpec;

/** The schema that a table's columns make where none is set, with the layout that Cap'n Proto gives it. */
final class GeneratedSchema {
    private static final int WORD = 64;

    private final Struct made;
    private final int[] holes = new int[6]; // the next hole of 1 << i bits, or 0

    private GeneratedSchema(String name) {
        made = new Struct(name);
    }

    static Struct of(List<TypeSpec.Column> columns) {
        return struct("Message", columns);
    }

    private static Struct struct(String name, List<TypeSpec.Column> columns) {
        GeneratedSchema found = new GeneratedSchema(name);
        for (TypeSpec.Column each : collected(columns)) found.field(each.name(), type(each), Schema.ALWAYS);
        return found.made;
    }

    /** Columns without a dot or a low line, and then those with one, as structs. */
    private static List<TypeSpec.Column> collected(List<TypeSpec.Column> columns) {
        List<TypeSpec.Column> found = new ArrayList<>();
        Map<String, List<TypeSpec.Column>> nested = new LinkedHashMap<>();
        for (TypeSpec.Column each : columns) {
            String[] parts = Matching.split(each.name());
            if (parts[0].isEmpty() || Character.isDigit(parts[0].charAt(0))) {
                throw Matching.error("Format CapnProto doesn't support field names that starts with a digit: '" + each.name() + "'");
            }
            if (parts[1].isEmpty()) found.add(each);
            else nested.computeIfAbsent(parts[0], key -> new ArrayList<>()).add(new TypeSpec.Column(parts[1], each.type(), false));
        }
        nested.forEach((name, inside) -> found.add(new Inside(name, inside).column()));
        return found;
    }

    /** Several columns that are one struct: a tuple of them. */
    private record Inside(String name, List<TypeSpec.Column> columns) {
        TypeSpec.Column column() {
            var json = new com.fasterxml.jackson.databind.ObjectMapper().createObjectNode();
            json.put("kind", "parts").put("name", "Tuple");
            var names = json.putArray("names");
            var items = json.putArray("items");
            for (TypeSpec.Column each : columns) {
                names.add(each.name());
                items.add(each.type().json());
            }
            return new TypeSpec.Column(name, new TypeSpec(json), false);
        }
    }

    private static Type type(TypeSpec.Column column) {
        return type(column.name(), column.type());
    }

    private static Type type(String name, TypeSpec type) {
        if (!type.takesNull()) return plain(name, type);
        GeneratedSchema found = new GeneratedSchema(name);
        found.field("value", plain(name, type), 0);
        found.field("null", Type.of(Kind.VOID), 1);
        found.made.choices = 2;
        found.made.at = found.place(4);
        return Type.of(found.made);
    }

    private static Type plain(String name, TypeSpec type) {
        switch (type.kind()) {
            case "items": return Type.list(type(name, type.inner("item")));
            case "pairs":
                Struct entry = struct("Entry", List.of(new TypeSpec.Column("key", type.inner("key"), false),
                    new TypeSpec.Column("value", type.inner("value"), false)));
                GeneratedSchema map = new GeneratedSchema(name);
                map.field("entries", Type.list(Type.of(entry)), Schema.ALWAYS);
                return Type.of(map.made);
            case "parts": return Type.of(struct(name, elements(type)));
            case "choice": return new Type(Kind.ENUM, null, null, new ArrayList<>(EnumNumbers.numbers(type).keySet()));
            default: return Type.of(Scalars.of(type, name).generated());
        }
    }

    private static List<TypeSpec.Column> elements(TypeSpec type) {
        if (type.isNamed()) return type.fields();
        List<TypeSpec.Column> found = new ArrayList<>();
        for (TypeSpec.Column each : type.fields()) found.add(new TypeSpec.Column("e" + (found.size() + 1), each.type(), false));
        return found;
    }

    private void field(String name, Type type, int choice) {
        int offset = type.kind() == Kind.VOID ? 0 : type.kind().isPointer() ? made.pointers++
            : place(Integer.numberOfTrailingZeros(type.kind().width));
        made.fields.add(new Field(name, offset, 0, choice, false, type));
    }

    /** Where {@code 1 << log} bits go: into the smallest hole that is large enough, or into a new word. */
    private int place(int log) {
        if (1 << log == WORD) return made.words++;
        int hole = holes[log];
        if (hole != 0) {
            holes[log] = 0;
            return hole;
        }
        int found = 2 * place(log + 1);
        holes[log] = found + 1;
        return found;
    }
}
