package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import sluice.formats.Codecs;

/** Columns and settings as the Python side describes them to our Java. */
public final class Described {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> TYPES = Map.ofEntries(
        Map.entry("Bool", "{'kind': 'bool'}"), Map.entry("String", "{'kind': 'text'}"),
        Map.entry("Bytes", "{'kind': 'bytes'}"), Map.entry("UUID", "{'kind': 'uuid'}"),
        Map.entry("Date", "{'kind': 'day'}"), Map.entry("Float32", "{'kind': 'floating', 'bits': 32}"),
        Map.entry("Float64", "{'kind': 'floating', 'bits': 64}"), Map.entry("UInt64", "{'kind': 'unsigned64'}"),
        Map.entry("DateTime", "{'kind': 'instant', 'precision': -1, 'zone': null}"),
        Map.entry("Local", "{'kind': 'local', 'precision': 3}"),
        Map.entry("JSON", "{'kind': 'json', 'paths': [], 'skipped': [], 'patterns': []}"),
        Map.entry("Enum", "{'kind': 'choice', 'values': [['a', 1], ['b', 2]]}"));

    private Described() {}

    /** From {@code name Type; name Type}, for instance {@code n Int32; a Array(Nullable(String))}. */
    public static String columns(String text) {
        ArrayNode found = JSON.createArrayNode();
        for (String each : text.split(";")) {
            String[] parts = each.strip().split(" ", 2);
            found.addObject().put("column", parts[0]).set("type", type(parts[1].strip()));
        }
        return found.toString();
    }

    /** The defaults of ClickHouse's settings, which the Python side knows, but for {@code name=value, …}. */
    public static String settings(String given) {
        return with(System.getProperty("sluice.settings"), given);
    }

    /** What reads messages of a format; which class that is the Python side knows. */
    public static Object decoder(String format, String columns, String settings) {
        return codec(format, "decoder", columns, settings);
    }

    /** And what writes them. */
    public static Object encoder(String format, String columns, String settings) {
        return codec(format, "encoder", columns, settings);
    }

    private static Object codec(String format, String part, String columns, String settings) {
        JsonNode found = tree(System.getProperty("sluice.formats")).get(format);
        ObjectNode given = (ObjectNode) tree(settings);
        found.get("fixed").fields().forEachRemaining(each -> given.set(each.getKey(), each.getValue()));
        return Codecs.of(found.get(part).asText(), columns, given.toString());
    }

    private static JsonNode tree(String json) {
        try {
            return JSON.readTree(json);
        } catch (com.fasterxml.jackson.core.JsonProcessingException bad) {
            throw new IllegalArgumentException(bad);
        }
    }

    /** Options with others in their place: {@code name=value, …}, each value as JSON. */
    public static String with(String options, String given) {
        ObjectNode found = (ObjectNode) tree(options);
        for (String each : given == null || given.isBlank() ? new String[0] : given.split(", ")) {
            String[] parts = each.split("=", 2);
            found.set(parts[0], tree(parts[1]));
        }
        return found.toString();
    }

    private static JsonNode type(String text) {
        boolean nullable = text.startsWith("Nullable(");
        String name = nullable ? text.substring(9, text.length() - 1) : text;
        ObjectNode made = bare(name);
        made.put("name", name).put("nullable", nullable).put("declared", text.replaceAll("\\bEnum\\b", "Enum8('a' = 1, 'b' = 2)"));
        return made;
    }

    private static ObjectNode bare(String name) {
        int open = name.indexOf('(');
        List<String> inner = open < 0 ? List.of() : split(name.substring(open + 1, name.length() - 1));
        String head = open < 0 ? name : name.substring(0, open);
        ObjectNode made = JSON.createObjectNode();
        switch (head) {
            case "Array": return made.put("kind", "items").set("item", type(inner.get(0)));
            case "Map":
                made.put("kind", "pairs").set("key", type(inner.get(0)));
                return made.set("value", type(inner.get(1)));
            case "Tuple":
                ArrayNode items = made.put("kind", "parts").putArray("items");
                ArrayNode names = made.putArray("names");
                inner.forEach(part -> {
                    String[] named = part.split(" ", 2);
                    names.add(named[0]);
                    items.add(type(named[1]));
                });
                return made;
            case "Decimal":
                return made.put("kind", "exact").put("precision", Integer.parseInt(inner.get(0)))
                    .put("scale", Integer.parseInt(inner.get(1)));
            case "DateTime64":
                made.put("kind", "instant").put("precision", Integer.parseInt(inner.get(0)));
                return inner.size() > 1 ? made.put("zone", inner.get(1)) : made.putNull("zone");
            case "FixedString": return made.put("kind", "fixed").put("length", Integer.parseInt(inner.get(0)));
            default:
        }
        if (TYPES.containsKey(head)) {
            return (ObjectNode) tree(TYPES.get(head).replace('\'', '"'));
        }
        boolean signed = head.startsWith("Int");
        int bits = Integer.parseInt(head.substring(signed ? 3 : 4));
        long high = bits == 64 ? Long.MAX_VALUE : (1L << (signed ? bits - 1 : bits)) - 1;
        return made.put("kind", "whole").put("bits", signed ? bits : 2 * bits)
            .put("low", signed ? -high - 1 : 0).put("high", high);
    }

    private static List<String> split(String text) {
        List<String> found = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '(') depth++;
            if (c == ')') depth--;
            if (c == ',' && depth == 0) {
                found.add(text.substring(from, i).strip());
                from = i + 1;
            }
        }
        found.add(text.substring(from).strip());
        return found;
    }
}
