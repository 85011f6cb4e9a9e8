package sluice.capnproto;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import sluice.values.TypeSpec;

/** Which value of an Enum column each value of an enum is, by their names or by their numbers. */
final class EnumNumbers {
    private EnumNumbers() {}

    /** The numbers of a column's values by their names, in the order of the numbers. */
    static Map<String, Integer> numbers(TypeSpec type) {
        Map<String, Integer> found = new LinkedHashMap<>();
        Comparator<com.fasterxml.jackson.databind.JsonNode> byNumber = Comparator.comparingInt(value -> value.get(1).asInt());
        java.util.stream.StreamSupport.stream(type.json().get("values").spliterator(), false).sorted(byNumber)
            .forEach(value -> found.put(value.get(0).asText(), value.get(1).asInt()));
        return found;
    }

    /**
     * The numbers of a column's values by those of the schema, for what both have.
     *
     * <p>A column that is written does not fit if it has something that the schema has not.
     */
    static Map<Integer, Integer> matched(TypeSpec type, List<String> names, String mode, boolean writes, String column) {
        Map<String, Integer> ours = numbers(type);
        Map<Integer, Integer> found = new HashMap<>();
        boolean byValues = mode.equals("by_values");
        boolean folded = mode.equals("by_names_case_insensitive");
        Map<String, Integer> byName = new HashMap<>();
        ours.forEach((name, number) -> byName.put(folded ? name.toLowerCase(Locale.ROOT) : name, number));
        for (int i = 0; i < names.size(); i++) {
            String name = folded ? names.get(i).toLowerCase(Locale.ROOT) : names.get(i);
            Integer number = byValues ? (Integer) i : byName.get(name);
            if (number != null && (!byValues || ours.containsValue(i))) found.put(i, number);
        }
        String what = byValues ? "values" : "names";
        if (writes && !found.values().containsAll(ours.values())) {
            throw Matching.error("Column \"" + column + "\": cannot convert ClickHouse enum to CapnProto enum: CapnProto enum " + what
                + " is not a superset of ClickHouse enum " + what + " (they are compared as format_capn_proto_enum_comparising_mode says)");
        }
        return found;
    }
}
