package sluice.binary;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.binary.TypeTree.Part;
import sluice.scan.BadValue;
import sluice.values.TypeSpec;

/** What types of a message are, in the way in which Python describes those of a table. */
final class TypeSpecs {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern WHOLE = Pattern.compile("(U?)Int(8|16|32|64)");
    private static final Map<String, String> SHAPES = Map.of(
        "Point", "Tuple(Float64, Float64)", "Ring", "Array(Point)", "LineString", "Array(Point)",
        "MultiLineString", "Array(LineString)", "Polygon", "Array(Ring)", "MultiPolygon", "Array(Polygon)");
    private static final Map<String, String> KINDS = Map.ofEntries(
        Map.entry("Bool", "bool"), Map.entry("String", "text"), Map.entry("UUID", "uuid"), Map.entry("Date", "day"),
        Map.entry("Date32", "day"), Map.entry("IPv4", "encoded"), Map.entry("IPv6", "encoded"),
        Map.entry("Int128", "encoded"), Map.entry("Int256", "encoded"), Map.entry("UInt128", "encoded"),
        Map.entry("UInt256", "encoded"), Map.entry("Time", "encoded"), Map.entry("BFloat16", "bfloat16"),
        Map.entry("Nothing", "nothing"), Map.entry("Dynamic", "dynamic"));

    private TypeSpecs() {}

    /** The description of a type. */
    static TypeSpec of(TypeTree type) {
        try {
            return new TypeSpec(node(type));
        } catch (IndexOutOfBoundsException | NullPointerException missing) {
            throw wrong(type);
        }
    }

    private static BadValue wrong(TypeTree type) {
        return new BadValue("Wrong arguments of data type " + BadValue.shown(type.toString()));
    }

    private static ObjectNode node(TypeTree type) {
        switch (type.name()) {
            case "Nullable": return node(type.inner(0)).put("nullable", true);
            case "LowCardinality": return node(type.inner(0)).put("dictionary", true);
            case "SimpleAggregateFunction": return node(type.inner(1));
            default: return bare(type).put("name", type.toString()).put("nullable", false);
        }
    }

    private static ObjectNode bare(TypeTree type) {
        String name = type.name();
        List<Part> parts = type.parts();
        ObjectNode made = JSON.createObjectNode();
        if (SHAPES.containsKey(name)) return node(TypeParser.parse(SHAPES.get(name)));
        if (name.startsWith("Interval")) return made.put("kind", "duration");
        if (KINDS.containsKey(name)) {
            return made.put("kind", KINDS.get(name)).put("type", name).put("wide", name.equals("Date32"));
        }
        Matcher whole = WHOLE.matcher(name);
        if (whole.matches()) return whole(made, Integer.parseInt(whole.group(2)), whole.group(1).isEmpty());
        switch (name) {
            case "Float32":
            case "Float64": return made.put("kind", "floating").put("bits", name.equals("Float32") ? 32 : 64);
            case "Decimal": return decimal(made, type);
            case "FixedString": return made.put("kind", "fixed").put("length", number(type, 1, 0xFFFFFF));
            case "DateTime": return zone(made.put("kind", "instant").put("precision", -1), parts, 0);
            case "DateTime64":
                int digits = number(type, 0, 9);
                if (digits > 6) return made.put("kind", "encoded").put("type", type.toString());
                return zone(made.put("kind", "instant").put("precision", digits), parts, 1);
            case "Time64": return made.put("kind", "encoded").put("type", "Time64(" + number(type, 0, 9) + ")");
            case "Enum8":
            case "Enum16": return choice(made, type);
            case "Array": return made.put("kind", "items").set("item", node(type.inner(0)));
            case "Nested":
                return made.put("kind", "items").set("item", node(new TypeTree("Tuple", parts)));
            case "Map":
                made.put("kind", "pairs").set("key", node(type.inner(0)));
                return made.set("value", node(type.inner(1)));
            case "Tuple":
            case "Variant": return several(made.put("kind", name.equals("Tuple") ? "parts" : "variant"), type);
            case "JSON": return json(made, parts);
            default: throw new BadValue("Unknown data type family: " + BadValue.shown(name));
        }
    }

    private static ObjectNode whole(ObjectNode made, int bits, boolean signed) {
        if (!signed && bits == 64) return made.put("kind", "unsigned64");
        long high = signed ? -1L >>> 65 - bits : (1L << bits) - 1;
        return made.put("kind", "whole").put("bits", signed ? bits : 2 * bits).put("low", signed ? -high - 1 : 0)
            .put("high", high);
    }

    private static int number(TypeTree type, int low, int high) {
        long found = type.parts().get(0).number();
        if (found < low || found > high) throw wrong(type);
        return (int) found;
    }

    private static ObjectNode decimal(ObjectNode made, TypeTree type) {
        int precision = number(type, 1, 76);
        long scale = type.parts().get(1).number();
        if (scale < 0 || scale > precision) throw wrong(type);
        if (precision > 38) return made.put("kind", "encoded").put("type", "Decimal(" + precision + ", " + scale + ")");
        return made.put("kind", "exact").put("precision", precision).put("scale", scale);
    }

    private static ObjectNode zone(ObjectNode made, List<Part> parts, int at) {
        return parts.size() > at ? made.put("zone", parts.get(at).text()) : made.putNull("zone");
    }

    private static ObjectNode choice(ObjectNode made, TypeTree type) {
        int bits = type.name().equals("Enum8") ? 8 : 16;
        ArrayNode values = made.put("kind", "choice").put("bits", bits).putArray("values");
        for (Part part : type.parts()) values.addArray().add(part.text()).add((long) part.number());
        if (values.isEmpty()) throw wrong(type);
        return made;
    }

    private static ObjectNode several(ObjectNode made, TypeTree type) {
        ArrayNode items = made.putArray("items");
        ArrayNode names = made.putArray("names");
        for (Part part : type.parts()) {
            items.add(node(part.type()));
            if (part.name() != null) names.add(part.name());
        }
        if (!names.isEmpty() && names.size() < items.size()) throw wrong(type);
        return made;
    }

    private static ObjectNode json(ObjectNode made, List<Part> parts) {
        ArrayNode paths = made.put("kind", "json").putArray("paths");
        ArrayNode skipped = made.putArray("skipped");
        ArrayNode patterns = made.putArray("patterns");
        for (Part part : parts) {
            if (part.type() != null) paths.addArray().add(part.name()).add(node(part.type()));
            else if (TypeTree.SKIP.equals(part.name())) skipped.add(part.text());
            else if (TypeTree.SKIP_REGEXP.equals(part.name())) patterns.add(part.text());
        }
        return made;
    }
}
