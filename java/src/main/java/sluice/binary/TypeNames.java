package sluice.binary;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import sluice.scan.BadValue;

/** What types are called. */
public final class TypeNames {
    private static final List<String> APART = List.of("name", "zone", "declared"); // types may differ in these

    private TypeNames() {}

    /** Whether two names are of the same type for ClickHouse; what names no type is only the same as itself. */
    public static boolean same(String one, String other) {
        try {
            return one.equals(other) || plain(one).equals(plain(other));
        } catch (BadValue | IllegalArgumentException none) {
            return false;
        }
    }

    private static JsonNode plain(String type) {
        return plain(TypeSpecs.of(TypeParser.parse(type)).json());
    }

    private static JsonNode plain(JsonNode type) {
        if (type instanceof ObjectNode node) {
            node.remove(APART);
            switch (node.path("kind").asText()) {
                case "bool": return plain(TypeSpecs.of(TypeTree.of("UInt8")).json());
                case "choice": return node.set("values", sorted(node.get("values")));
                case "encoded":
                    String name = node.get("type").asText();
                    if (name.startsWith("DateTime64")) node.put("type", name.substring(0, "DateTime64(9".length()));
                    return node;
                default:
                    for (String each : (Iterable<String>) node::fieldNames) node.replace(each, plain(node.get(each)));
            }
        } else if (type instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) list.set(i, plain(list.get(i)));
        }
        return type;
    }

    private static ArrayNode sorted(JsonNode values) {
        List<JsonNode> found = new ArrayList<>();
        values.forEach(found::add);
        found.sort(Comparator.comparingLong(value -> value.get(1).asLong()));
        return ((ArrayNode) values).removeAll().addAll(found);
    }
}
