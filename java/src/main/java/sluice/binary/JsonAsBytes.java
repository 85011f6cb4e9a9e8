package sluice.binary;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import sluice.binary.TypeTree.Part;
import sluice.values.JsonTree;
import sluice.values.Output;

/** Writes values of a JSON document that have no type but their own, each after the type that ClickHouse would infer. */
final class JsonAsBytes {
    private static final TypeTree BOOL = TypeTree.of("Bool");
    private static final TypeTree INT = TypeTree.of("Int64");
    private static final TypeTree UINT = TypeTree.of("UInt64");
    private static final TypeTree DOUBLE = TypeTree.of("Float64");
    private static final TypeTree STRING = TypeTree.of("String");
    private static final TypeTree DYNAMIC = TypeTree.of("Dynamic");
    private static final TypeTree NOTHING = TypeTree.of("Nothing");
    private static final TypeTree OBJECT = TypeTree.of("JSON",
        new Part("max_dynamic_types", null, null, 16L), new Part("max_dynamic_paths", null, null, 256L));
    private static final Set<TypeTree> SCALARS = Set.of(BOOL, INT, UINT, DOUBLE, STRING);

    private JsonAsBytes() {}

    /** The values of an object by their paths, down to those that have a type. */
    static void collect(JsonTree object, String prefix, Set<String> typed, Map<String, JsonTree> found) {
        for (int i = 0; i < object.items.size(); i++) {
            String path = prefix + object.keys.get(i);
            JsonTree item = object.items.get(i);
            if (typed.contains(path) || item.kind != JsonTree.Kind.OBJECT) found.put(path, item);
            else collect(item, path + ".", typed, found);
        }
    }

    /** A value after its type. */
    static void dynamic(JsonTree value, Output out) {
        TypeTree type = type(value);
        TypeBytes.write(type, out);
        write(type, value, out);
    }

    private static TypeTree type(JsonTree value) {
        switch (value.kind) {
            case NULL: return NOTHING;
            case BOOL: return BOOL;
            case INT: return INT;
            case UINT: return UINT;
            case DOUBLE: return DOUBLE;
            case LIST: return TypeTree.of("Array", Part.of(item(value)));
            case OBJECT: return OBJECT;
            default: return STRING;
        }
    }

    /** The one type of a list's items, or that of any. */
    private static TypeTree item(JsonTree list) {
        Set<TypeTree> types = new LinkedHashSet<>();
        list.items.forEach(each -> types.add(type(each)));
        boolean nulls = types.remove(NOTHING);
        if (types.isEmpty()) return TypeTree.of("Nullable", Part.of(STRING));
        if (types.equals(Set.of(INT, DOUBLE))) types.remove(INT);
        TypeTree first = types.iterator().next();
        if (types.size() > 1 || nulls && !SCALARS.contains(first)) return DYNAMIC;
        return SCALARS.contains(first) ? TypeTree.of("Nullable", Part.of(first)) : first;
    }

    private static void write(TypeTree type, JsonTree value, Output out) {
        switch (type.name()) {
            case "Nothing": break;
            case "Nullable":
                boolean isNull = value.kind == JsonTree.Kind.NULL;
                out.put(isNull ? 1 : 0);
                if (!isNull) write(type.inner(0), value, out);
                break;
            case "Array":
                out.putVarint(value.items.size());
                for (JsonTree item : value.items) write(type.inner(0), item, out);
                break;
            case "Dynamic": dynamic(value, out); break;
            case "JSON": object(value, out); break;
            case "Bool": out.put((int) value.whole); break;
            case "Float64":
                double real = value.kind == JsonTree.Kind.INT ? value.whole : value.real;
                out.putLowLong(Double.doubleToRawLongBits(real));
                break;
            case "String":
                out.putVarint(value.text.numBytes());
                out.put(value.text);
                break;
            default: out.putLowLong(value.whole);
        }
    }

    private static void object(JsonTree value, Output out) {
        Map<String, JsonTree> paths = new LinkedHashMap<>();
        collect(value, "", Set.of(), paths);
        out.putVarint(paths.size());
        paths.forEach((path, item) -> {
            TypeBytes.text(path, out);
            dynamic(item, out);
        });
    }
}
