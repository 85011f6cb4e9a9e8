package sluice.binary;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.binary.TypeTree.Part;
import sluice.scan.BadValue;
import sluice.values.Output;

/** Types in ClickHouse's binary encoding: a code, and what the type has in parentheses. */
final class TypeBytes {
    private static final String[] CODES = {
        "Nothing", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256", "Int8", "Int16", "Int32", "Int64",
        "Int128", "Int256", "Float32", "Float64", "Date", "Date32", "DateTime", "DateTime(zone)", "DateTime64",
        "DateTime64(zone)", "String", "FixedString", "Enum8", "Enum16", "Decimal32", "Decimal64", "Decimal128",
        "Decimal256", "UUID", "Array", "Tuple", "Tuple(names)", "Set", "Interval", "Nullable", "Function",
        "AggregateFunction", "LowCardinality", "Map", "IPv4", "IPv6", "Variant", "Dynamic", "Custom", "Bool",
        "SimpleAggregateFunction", "Nested", "JSON", "BFloat16", "Time", "", "Time64"};
    private static final String[] INTERVALS = {
        "Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year"};
    private static final Map<String, Integer> BY_NAME = new HashMap<>();
    private static final long MOST = 1_000_000; // elements of a type
    private static final long LONGEST = 1 << 24; // bytes of a name
    private static final int DEEPEST = 300;
    private static final long PATHS = 1024; // of JSON, by default
    private static final long TYPES = 32; // of Dynamic

    static {
        for (int code = 0; code < CODES.length; code++) BY_NAME.put(CODES[code], code);
    }

    private final BinaryCursor in;
    private final int most;
    private int seen;
    private int depth;

    private TypeBytes(BinaryCursor in, int most) {
        this.in = in;
        this.most = most;
    }

    /** The type that comes next, made of so many types at most. */
    static TypeTree read(BinaryCursor in, int most) {
        return new TypeBytes(in, most).type();
    }

    private TypeTree type() {
        if (++seen > most) {
            throw new BadValue("Binary type decoding complexity limit exceeded: " + seen + " > " + most
                + " (adjust input_format_binary_max_type_complexity)");
        }
        if (++depth > DEEPEST) throw new BadValue("Maximum parse depth (" + DEEPEST + ") exceeded");
        int code = in.one() & 0xFF;
        if (code >= CODES.length || CODES[code].isEmpty()) {
            throw new BadValue(String.format("Unknown type code: 0x%02X (at byte %d)", code, in.at - 1));
        }
        TypeTree found = type(CODES[code]);
        depth--;
        return found;
    }

    private TypeTree type(String name) {
        switch (name) {
            case "DateTime(zone)": return TypeTree.of("DateTime", Part.of(name()));
            case "DateTime64":
            case "Time64": return TypeTree.of(name, Part.of(in.one()));
            case "DateTime64(zone)": return TypeTree.of("DateTime64", Part.of(in.one()), Part.of(name()));
            case "FixedString": return TypeTree.of(name, Part.of(in.number()));
            case "Enum8":
            case "Enum16": return choice(name);
            case "Decimal32":
            case "Decimal64":
            case "Decimal128":
            case "Decimal256": return TypeTree.of("Decimal", Part.of(in.one()), Part.of(in.one()));
            case "Array":
            case "Nullable":
            case "LowCardinality": return TypeTree.of(name, Part.of(type()));
            case "Map": return TypeTree.of(name, Part.of(type()), Part.of(type()));
            case "Tuple":
            case "Variant": return many(name, false);
            case "Tuple(names)": return many("Tuple", true);
            case "Nested": return many(name, true);
            case "Interval":
                int kind = in.one();
                if (kind < 0 || kind >= INTERVALS.length) throw new BadValue("Unknown kind of interval: " + kind);
                return TypeTree.of("Interval" + INTERVALS[kind]);
            case "Dynamic": return dynamic(in.one() & 0xFF);
            case "Custom": return TypeParser.parse(name());
            case "SimpleAggregateFunction": return simple();
            case "JSON": return json();
            case "Set":
            case "Function":
            case "AggregateFunction": throw new BadValue("Type " + name + " is not supported in a header");
            default: return TypeTree.of(name);
        }
    }

    private String name() {
        in.string(LONGEST);
        return new String(in.text, in.from, in.to - in.from, StandardCharsets.UTF_8);
    }

    private int count() {
        return in.count(MOST, 1);
    }

    private TypeTree choice(String name) {
        List<Part> parts = new ArrayList<>();
        for (int left = count(); left > 0; left--) {
            parts.add(new Part(null, null, name(), (long) (name.equals("Enum8") ? in.one() : in.two())));
        }
        return new TypeTree(name, parts);
    }

    private TypeTree many(String name, boolean named) {
        List<Part> parts = new ArrayList<>();
        for (int left = count(); left > 0; left--) parts.add(named ? Part.of(name(), type()) : Part.of(type()));
        return new TypeTree(name, parts);
    }

    private static TypeTree dynamic(long types) {
        return types == TYPES ? TypeTree.of("Dynamic") : TypeTree.of("Dynamic", new Part("max_types", null, null, types));
    }

    private TypeTree simple() {
        Part function = Part.of(TypeTree.of(name()));
        if (count() > 0) throw new BadValue("Parameters of " + function + " are not supported in a header");
        List<Part> parts = new ArrayList<>(List.of(function));
        for (int left = count(); left > 0; left--) parts.add(Part.of(type()));
        return new TypeTree("SimpleAggregateFunction", parts);
    }

    private TypeTree json() {
        if (in.one() != 0) throw new BadValue("Unexpected version of JSON type binary encoding");
        List<Part> parts = new ArrayList<>();
        long paths = in.number();
        long types = in.one() & 0xFF;
        if (types != TYPES) parts.add(new Part("max_dynamic_types", null, null, types));
        if (paths != PATHS) parts.add(new Part("max_dynamic_paths", null, null, paths));
        for (int left = count(); left > 0; left--) parts.add(Part.of(name(), type()));
        for (int left = count(); left > 0; left--) parts.add(new Part(TypeTree.SKIP, null, name(), null));
        for (int left = count(); left > 0; left--) parts.add(new Part(TypeTree.SKIP_REGEXP, null, name(), null));
        return new TypeTree("JSON", parts);
    }

    /** Write a type. */
    static void write(TypeTree type, Output out) {
        List<Part> parts = type.parts();
        String name = type.name();
        switch (name) {
            case "DateTime":
                code(parts.isEmpty() ? name : "DateTime(zone)", out);
                if (!parts.isEmpty()) text(parts.get(0).text(), out);
                break;
            case "DateTime64":
                code(parts.size() == 1 ? name : "DateTime64(zone)", out);
                out.put((int) (long) parts.get(0).number());
                if (parts.size() > 1) text(parts.get(1).text(), out);
                break;
            case "Time64":
                code(name, out);
                out.put((int) (long) parts.get(0).number());
                break;
            case "FixedString":
                code(name, out);
                out.putVarint((int) (long) parts.get(0).number());
                break;
            case "Enum8":
            case "Enum16":
                code(name, out);
                out.putVarint(parts.size());
                for (Part part : parts) {
                    text(part.text(), out);
                    out.putLow(part.number(), name.equals("Enum8") ? 1 : 2);
                }
                break;
            case "Decimal": decimal(parts.get(0).number(), parts.get(1).number(), out); break;
            case "Tuple":
                code(parts.isEmpty() || parts.get(0).name() == null ? name : "Tuple(names)", out);
                many(parts, out);
                break;
            case "Nested":
                code(name, out);
                many(parts, out);
                break;
            case "SimpleAggregateFunction":
                code(name, out);
                text(parts.get(0).type().name(), out);
                out.put(0);
                many(parts.subList(1, parts.size()), out);
                break;
            case "JSON": json(type, out); break;
            case "Dynamic":
                code(name, out);
                out.put((int) parameter(type, "max_types", TYPES));
                break;
            default:
                if (!BY_NAME.containsKey(name)) { // Point and its like
                    code("Custom", out);
                    text(type.toString(), out);
                    break;
                }
                code(name, out);
                for (Part part : parts) write(part.type(), out);
        }
    }

    private static void code(String name, Output out) {
        out.put(BY_NAME.get(name));
    }

    /** Write a text after the number of its bytes. */
    static void text(String text, Output out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putVarint(bytes.length);
        out.put(bytes);
    }

    private static void decimal(long precision, long scale, Output out) {
        code(precision <= 9 ? "Decimal32" : precision <= 18 ? "Decimal64" : precision <= 38 ? "Decimal128" : "Decimal256", out);
        out.put((int) precision);
        out.put((int) scale);
    }

    private static void many(List<Part> parts, Output out) {
        out.putVarint(parts.size());
        for (Part part : parts) {
            if (part.name() != null) text(part.name(), out);
            write(part.type(), out);
        }
    }

    private static void json(TypeTree type, Output out) {
        code("JSON", out);
        out.put(0);
        out.putVarint((int) parameter(type, "max_dynamic_paths", PATHS));
        out.put((int) parameter(type, "max_dynamic_types", TYPES));
        many(type.parts().stream().filter(part -> part.type() != null).toList(), out);
        for (String skipped : List.of(TypeTree.SKIP, TypeTree.SKIP_REGEXP)) {
            List<Part> found = type.parts().stream().filter(part -> skipped.equals(part.name())).toList();
            out.putVarint(found.size());
            found.forEach(part -> text(part.text(), out));
        }
    }

    private static long parameter(TypeTree type, String name, long otherwise) {
        return type.parts().stream().filter(part -> part.number() != null && name.equals(part.name()))
            .mapToLong(Part::number).findFirst().orElse(otherwise);
    }
}
