package sluice.protobuf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import sluice.values.TypeSpec;

/**
 * Finds the field of each column, as ClickHouse does: by name, with letters of any case, a dot as good as an
 * underscore, and what follows one a field of the message within the message.
 */
final class Matching {
    private static final Set<String> UNSUPPORTED = Set.of("json");

    private final boolean writes;
    private final boolean wrappers;
    private final boolean presence;

    /** {@code wrappers}: Google's wrappers are values; {@code presence}: a column named like a oneof says what it holds. */
    Matching(boolean writes, boolean wrappers, boolean presence) {
        this.writes = writes;
        this.wrappers = wrappers;
        this.presence = presence;
    }

    /** A field is not repeated where an array needs one that is. */
    private static final class NotRepeated extends RuntimeException {
        NotRepeated(String message) {
            super(message, null, false, false);
        }
    }

    /** How a whole row is read or written. */
    Plan.Message record(List<TypeSpec.Column> columns, Proto.Message message) {
        for (TypeSpec.Column each : columns) supported(each.type());
        Plan.Message found;
        try {
            found = message(columns, message, null);
        } catch (NotRepeated bad) {
            throw SchemaError.columns(bad.getMessage());
        }
        if (found != null) return found;
        String names = String.join(", ", columns.stream().map(TypeSpec.Column::name).toList());
        throw SchemaError.columns("Not found matches between the names of the columns (" + names + ") and the fields ("
            + String.join(", ", message.fieldNames()) + ") of the message '" + message.name + "' in the protobuf schema");
    }

    private static void supported(TypeSpec type) {
        boolean time = type.kind().equals("encoded") && type.name().startsWith("Time");
        if (UNSUPPORTED.contains(type.kind()) || time) {
            throw SchemaError.columns("Type " + type.name() + " is not supported in Protobuf format");
        }
        switch (type.kind()) {
            case "items": supported(type.inner("item")); break;
            case "pairs": supported(type.inner("key")); supported(type.inner("value")); break;
            case "parts": type.fields().forEach(each -> supported(each.type())); break;
            default:
        }
    }

    static String folded(String name) {
        return name.toLowerCase(Locale.ROOT).replace('.', '_');
    }

    /** A field that a column's name begins with, and what follows. */
    private record Begun(Proto.Field field, String rest) {}

    /** The names that a field goes by: those of a map's entries have two. */
    private static List<String> names(Proto.Field field) {
        if (!field.owner.isMapEntry) return List.of(field.name);
        return field.number == 1 ? List.of("keys", "key") : List.of("values", "value");
    }

    /** What of a column's name follows that of a field and a dot; empty if it is the name; null if it is another one. */
    private static String rest(String column, Proto.Field field) {
        String folded = folded(column);
        for (String name : names(field)) {
            String start = folded(name);
            if (!folded.startsWith(start)) continue;
            if (folded.length() == start.length()) return "";
            boolean deeper = folded.length() >= start.length() + 2 && field.message != null;
            if (deeper && folded.charAt(start.length()) == '_') return column.substring(start.length() + 1);
        }
        return null;
    }

    private static List<Begun> begun(String column, Proto.Message message) {
        List<Begun> found = new ArrayList<>();
        for (Proto.Field field : message.fields) {
            String rest = rest(column, field);
            if ("".equals(rest)) return List.of(new Begun(field, rest));
            if (rest != null) found.add(new Begun(field, rest));
        }
        found.sort(Comparator.comparingInt(each -> each.rest.length()));
        return found;
    }

    /** How columns become fields of a message; null if none does. */
    private Plan.Message message(List<TypeSpec.Column> columns, Proto.Message message, Proto.Field in) {
        List<Plan.Part> parts = new ArrayList<>();
        List<Plan.Presence> presences = new ArrayList<>();
        Set<Integer> used = new TreeSet<>();
        for (int i = 0; i < columns.size(); i++) {
            if (used.contains(i)) continue;
            Plan.Part part = part(columns, i, used, message);
            if (part == null) {
                presence(columns.get(i), i, message, presences);
                continue;
            }
            for (Plan.Part other : parts) {
                if (other.field() == part.field()) throw SchemaError.columns("Multiple columns (`" + other.column() + "`, `"
                    + part.column() + "`) cannot be serialized to a single protobuf field '" + part.field().fullName() + "'");
            }
            parts.add(part);
            for (int column : part.columns()) used.add(column);
        }
        if (writes) required(message, parts);
        if (parts.isEmpty() && presences.isEmpty()) return null;
        for (Plan.Presence each : presences) suitable(each, message, parts, columns.get(each.column()).name());
        parts.sort(Comparator.comparingInt(each -> each.field().number));
        return new Plan.Message(message, in, columns, parts, presences);
    }

    private static void required(Proto.Message message, List<Plan.Part> parts) {
        for (Proto.Field field : message.fields) {
            if (field.required && parts.stream().noneMatch(part -> part.field() == field)) {
                throw SchemaError.columns("Field '" + field.fullName() + "' is required to be set");
            }
        }
    }

    private void presence(TypeSpec.Column column, int at, Proto.Message message, List<Plan.Presence> found) {
        if (!presence || writes) return;
        for (Proto.Field field : message.fields) {
            if (field.oneof == null || !folded(field.oneof).equals(folded(column.name()))) continue;
            found.add(new Plan.Presence(field.oneof, at, column.type()));
            return;
        }
    }

    private static void suitable(Plan.Presence presence, Proto.Message message, List<Plan.Part> parts, String column) {
        TypeSpec type = presence.type();
        boolean isEnum = type.kind().equals("choice");
        boolean fits = (isEnum || type.kind().equals("whole") || type.kind().equals("unsigned64")) && !type.nullable();
        if (fits && isEnum) {
            EnumNames choice = new EnumNames(type);
            fits = choice.name(0) != null;
            for (Plan.Part part : parts) {
                boolean inside = presence.oneof().equals(part.field().oneof);
                fits &= !inside || choice.name(part.field().number) != null;
            }
        }
        if (!fits) throw SchemaError.columns("Column `" + column + "` is not suitable as OneOf presence indicator. Ensure that the"
            + " Enum contains the value 0 (which indicates an omitted element) and the tag number of every oneof case that has"
            + " a matching column");
    }

    /** The field of a column, with the other columns that belong to it; null if it has none. */
    private Plan.Part part(List<TypeSpec.Column> columns, int at, Set<Integer> used, Proto.Message message) {
        TypeSpec.Column column = columns.get(at);
        for (Begun each : begun(column.name(), message)) {
            Plan.Part found = each.rest.isEmpty() ? simple(column, at, each.field)
                : nested(columns, at, used, each);
            if (found != null) return found;
        }
        return null;
    }

    private Plan.Part simple(TypeSpec.Column column, int at, Proto.Field field) {
        Plan plan = field(column.name(), column.type(), field, field.repeated);
        return plan == null ? null : new Plan.Part(field, new int[] {at}, column.name(), plan);
    }

    private Plan.Part nested(List<TypeSpec.Column> columns, int at, Set<Integer> used, Begun begun) {
        List<Integer> places = new ArrayList<>();
        List<TypeSpec.Column> inner = new ArrayList<>();
        for (int k = at; k < columns.size(); k++) {
            String rest = k == at ? begun.rest : rest(columns.get(k).name(), begun.field);
            if (used.contains(k) || rest == null || rest.isEmpty()) continue;
            places.add(k);
            inner.add(new TypeSpec.Column(rest, columns.get(k).type(), false));
        }
        boolean some = begun.field.repeated && inner.stream().anyMatch(Matching::isArray);
        boolean all = begun.field.repeated && inner.stream().allMatch(Matching::isArray);
        String name = columns.get(at).name();
        if (all) {
            Plan.Part found = parallel(name, inner, places, begun.field);
            if (found != null) return found;
        }
        try {
            Plan.Message found = message(inner, begun.field.message, begun.field);
            if (found != null) return several(name, found, inner, places, begun.field, false);
        } catch (NotRepeated bad) {
            if (!some) throw bad;
        }
        return some ? parallel(name, inner, places, begun.field) : null;
    }

    private static boolean isArray(TypeSpec.Column column) {
        return column.type().kind().equals("items");
    }

    private Plan.Part parallel(String name, List<TypeSpec.Column> columns, List<Integer> places, Proto.Field field) {
        List<TypeSpec.Column> items = new ArrayList<>();
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!isArray(columns.get(i))) continue;
            items.add(new TypeSpec.Column(columns.get(i).name(), columns.get(i).type().inner("item"), false));
            kept.add(places.get(i));
        }
        Plan.Message found = message(items, field.message, field);
        return found == null ? null : several(name, found, items, kept, field, true);
    }

    /** With the columns that the message uses, and no others. */
    private Plan.Part several(String name, Plan.Message found, List<TypeSpec.Column> columns, List<Integer> places,
            Proto.Field field, boolean parallel) {
        Set<Integer> used = new TreeSet<>();
        found.parts().forEach(part -> {
            for (int column : part.columns()) used.add(column);
        });
        found.presences().forEach(each -> used.add(each.column()));
        List<Integer> order = new ArrayList<>(used);
        List<Plan.Part> parts = new ArrayList<>();
        for (Plan.Part part : found.parts()) {
            int[] moved = java.util.Arrays.stream(part.columns()).map(order::indexOf).toArray();
            parts.add(new Plan.Part(part.field(), moved, part.column(), part.plan()));
        }
        List<Plan.Presence> presences = found.presences().stream()
            .map(each -> new Plan.Presence(each.oneof(), order.indexOf(each.column()), each.type())).toList();
        Plan.Message message = new Plan.Message(found.message(), field, order.stream().map(columns::get).toList(), parts, presences);
        int[] outer = order.stream().mapToInt(places::get).toArray();
        return new Plan.Part(field, outer, name, parallel ? new Plan.Parallel(message) : new Plan.Inline(message));
    }

    /** How one column becomes one field; null if it cannot. */
    private Plan field(String column, TypeSpec type, Proto.Field field, boolean mayRepeat) {
        switch (type.kind()) {
            case "items": return items(column, type, field, mayRepeat);
            case "pairs": return pairs(column, type, field, mayRepeat);
            case "parts": return struct(column, type, field, mayRepeat);
            default:
        }
        if (wrappers && field.isWrapper()) {
            Plan.Message inside = message(List.of(new TypeSpec.Column("value", type, false)), field.message, field);
            return new Plan.Wrapper(type, inside);
        }
        Compatible.check(column, type, field);
        return new Plan.Value(type, field);
    }

    private Plan items(String column, TypeSpec type, Proto.Field field, boolean mayRepeat) {
        if (mayRepeat) {
            Plan item = field(column, type.inner("item"), field, false);
            return item == null ? null : new Plan.ArrayValue(type, item);
        }
        if (field.message == null || field.message.fields.size() != 1) throw notRepeated(column, field);
        String only = field.message.fields.get(0).name;
        Plan.Message message = message(List.of(new TypeSpec.Column(only, type, false)), field.message, field);
        return message == null ? null : new Plan.Only(type, message);
    }

    private Plan pairs(String column, TypeSpec type, Proto.Field field, boolean mayRepeat) {
        if (!mayRepeat) {
            if (field.message == null || field.message.fields.size() != 1) throw notRepeated(column, field);
            String only = field.message.fields.get(0).name;
            Plan.Message message = message(List.of(new TypeSpec.Column(only, type, false)), field.message, field);
            return message == null ? null : new Plan.Only(type, message);
        }
        if (field.message == null) throw Compatible.incompatible(column, type, field);
        List<TypeSpec.Column> columns = List.of(new TypeSpec.Column("keys", type.inner("key"), false),
            new TypeSpec.Column("values", type.inner("value"), false));
        Plan.Message entry = message(columns, field.message, field);
        return entry == null ? null : new Plan.MapValue(type, new Plan.Struct(type, entry));
    }

    private Plan struct(String column, TypeSpec type, Proto.Field field, boolean mayRepeat) {
        List<TypeSpec.Column> inside = type.fields();
        if (field.message == null) {
            if (!mayRepeat && inside.size() > 1) throw notRepeated(column, field);
            List<Plan> parts = new ArrayList<>();
            for (TypeSpec.Column each : inside) parts.add(field(column, each.type(), field, false));
            return parts.contains(null) ? null : new Plan.Parts(type, field, parts);
        }
        List<String> names = field.message.fieldNames();
        if (!type.isNamed()) {
            if (names.size() != inside.size()) throw SchemaError.columns("The number of fields in Protobuf message ("
                + names.size() + ") is not equal to the number of elements in unnamed Tuple (" + inside.size() + ")");
            List<TypeSpec.Column> named = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) named.add(new TypeSpec.Column(names.get(i), inside.get(i).type(), false));
            inside = named;
        }
        Plan.Message message = message(inside, field.message, field);
        if (message == null) throw SchemaError.columns("Not found matches between the names of the tuple's elements ("
            + String.join(", ", inside.stream().map(TypeSpec.Column::name).toList()) + ") and the fields ("
            + String.join(", ", names) + ") of the message '" + field.message.name + "' in the protobuf schema");
        return new Plan.Struct(type, message);
    }

    private static RuntimeException notRepeated(String column, Proto.Field field) {
        if (!field.repeated) return new NotRepeated("The field '" + field.fullName()
            + "' must be repeated in the protobuf schema to match the column `" + column + "`");
        return new NotRepeated("The field '" + field.fullName() + "' is repeated but the level of repeatedness is not enough"
            + " to serialize a multidimensional array from the column `" + column
            + "`. It's recommended to make the parent field repeated as well.");
    }
}
