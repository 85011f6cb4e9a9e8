package sluice.capnproto;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import sluice.capnproto.Schema.Field;
import sluice.capnproto.Schema.Kind;
import sluice.capnproto.Schema.Struct;
import sluice.errors.ConditionException;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Which fields a table's columns are, as ClickHouse matches them. */
final class Matching {
    private final String enums;
    private final boolean writes;

    private Matching(String enums, boolean writes) {
        this.enums = enums;
        this.writes = writes;
    }

    /** What reads and writes a row; its schema is the compiled one, or else made of the columns. */
    static Node.Inner row(List<TypeSpec.Column> columns, Settings settings, boolean writes) {
        String compiled = settings.textOrNull("schema.compiled");
        Struct message = compiled == null ? GeneratedSchema.of(columns) : Schema.message(compiled);
        if (message.hasUnion()) throw error("The message " + message.name + " is a union or has one without a name");
        String enums = compiled == null ? "by_names" : settings.text("format_capn_proto_enum_comparising_mode");
        return new Matching(enums, writes).inner(Field.item(Schema.Type.of(message)), columns);
    }

    static ConditionException error(String problem) {
        return new ConditionException("FORMAT_COLUMNS_UNSUPPORTED", Map.of("format", "CapnProto", "problem", problem));
    }

    /** What precedes the first dot or low line, and the rest. */
    static String[] split(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '_' || name.charAt(i) == '.') return new String[] {name.substring(0, i), name.substring(i + 1)};
        }
        return new String[] {name, ""};
    }

    private Node.Inner inner(Field at, List<TypeSpec.Column> columns) {
        Struct struct = at.type().struct();
        List<Node> found = new ArrayList<>();
        for (TypeSpec.Column each : columns) {
            String name = split(each.name())[0];
            Field field = struct.find(name);
            if (field == null) {
                throw error("Capnproto schema doesn't contain field with name " + name + ": column \"" + each.name()
                    + "\" is looked for in " + struct.name + struct.shown());
            }
            found.add(node(each.name(), each.type(), field));
        }
        return new Node.Inner(at, found);
    }

    private Node node(String name, TypeSpec type, Field field) {
        Kind kind = field.type().kind();
        String[] parts = split(name);
        if (!parts[1].isEmpty() && kind != Kind.LIST) {
            if (kind != Kind.STRUCT) throw error("Column \"" + name + "\": field " + parts[0] + " is not a struct");
            return structure(name, field, List.of(new TypeSpec.Column(parts[1], type, false)), type);
        }
        if (type.takesNull()) return optional(name, type, field);
        return plain(name, type, field);
    }

    private Node plain(String name, TypeSpec type, Field field) {
        Kind kind = field.type().kind();
        switch (type.kind()) {
            case "items":
                if (kind != Kind.LIST) throw cannot(name, type, field);
                return new Node.ArrayValue(field, node(name, type.inner("item"), Field.item(field.type().item())), name);
            case "pairs": return map(name, type, field);
            case "parts": return structure(name, field, elements(name, type, field), type);
            case "choice":
                if (kind != Kind.ENUM) throw cannot(name, type, field);
                return new Node.EnumValue(field, type, EnumNumbers.matched(type, field.type().names(), enums, writes, name), name);
            default:
        }
        Scalars scalar = Scalars.of(type, name);
        if (!scalar.fits(kind)) throw cannot(name, type, field);
        return Node.scalar(field, scalar, type.name(), name);
    }

    private List<TypeSpec.Column> elements(String name, TypeSpec type, Field field) {
        if (type.isNamed() || field.type().kind() != Kind.STRUCT) return type.fields();
        List<Field> fields = field.type().struct().fields;
        List<TypeSpec.Column> inside = type.fields();
        if (fields.size() != inside.size()) {
            throw error("Column \"" + name + "\": Tuple and Struct have different sizes " + inside.size() + " != " + fields.size());
        }
        List<TypeSpec.Column> found = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) found.add(new TypeSpec.Column(fields.get(i).name(), inside.get(i).type(), false));
        return found;
    }

    private Node structure(String name, Field field, List<TypeSpec.Column> columns, TypeSpec type) {
        if (field.type().kind() != Kind.STRUCT) throw cannot(name, type, field);
        if (field.type().struct().hasUnion()) {
            throw error("Cannot convert ClickHouse column \"" + name + "\" with type " + type.name()
                + " to CapnProto named union/struct with unnamed union " + field.type() + field.type().struct().shown());
        }
        return inner(field, columns);
    }

    private Node map(String name, TypeSpec type, Field field) {
        Field entries = only(field.type());
        boolean fits = entries != null && entries.type().kind() == Kind.LIST && entries.type().item().kind() == Kind.STRUCT
            && entries.type().item().struct().fields.size() == 2;
        if (!fits) {
            throw error("Cannot convert ClickHouse column \"" + name + "\": Map type can be represented as a Struct with one field,"
                + " a List of structs of key and value, got " + field.type());
        }
        List<TypeSpec.Column> columns = List.of(new TypeSpec.Column("key", type.inner("key"), false),
            new TypeSpec.Column("value", type.inner("value"), false));
        Node entry = structure(name, Field.item(entries.type().item()), columns, type);
        return new Node.Inner(field, List.of(new Node.ArrayValue(entries, entry, name)));
    }

    private static Field only(Schema.Type type) {
        boolean one = type.kind() == Kind.STRUCT && type.struct().fields.size() == 1 && !type.struct().hasUnion();
        return one ? type.struct().fields.get(0) : null;
    }

    private Node optional(String name, TypeSpec type, Field field) {
        Schema.Type of = field.type();
        boolean union = of.kind() == Kind.STRUCT && of.struct().isUnion() && of.struct().fields.size() == 2;
        Field first = union ? of.struct().fields.get(0) : null;
        Field second = union ? of.struct().fields.get(1) : null;
        boolean firstIsNull = union && first.type().kind() == Kind.VOID;
        if (!union || !firstIsNull && second.type().kind() != Kind.VOID) {
            throw error("Cannot convert column \"" + name
                + "\": Nullable can be represented only as a named union of type Void and nested type, got CapnProto type " + of);
        }
        Field value = firstIsNull ? second : first;
        return new Node.Optional(field, node(name, required(type), value), value.choice(), (firstIsNull ? first : second).choice());
    }

    private static TypeSpec required(TypeSpec type) {
        var plain = type.json().deepCopy();
        ((com.fasterxml.jackson.databind.node.ObjectNode) plain).put("nullable", false);
        return new TypeSpec(plain);
    }

    private static ConditionException cannot(String name, TypeSpec type, Field field) {
        return error("Cannot convert ClickHouse column \"" + name + "\" with type " + type.name() + " to CapnProto type " + field.type());
    }
}
