package sluice.protobuf;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.values.TypeSpec;

/** The names and numbers of an Enum. */
final class EnumNames {
    final Map<String, Integer> numbers = new LinkedHashMap<>();

    EnumNames(TypeSpec type) {
        type.json().get("values").forEach(each -> numbers.put(each.get(0).asText(), each.get(1).asInt()));
    }

    /** The name of a number, or null. */
    String name(long number) {
        for (Map.Entry<String, Integer> each : numbers.entrySet()) if (each.getValue() == number) return each.getKey();
        return null;
    }

    /** Each name with the number of the other enum: by name, with letters of any case, else by number. */
    Map<String, Integer> among(Proto.EnumType others) {
        Map<String, Integer> folded = new HashMap<>();
        others.numbers.forEach((name, number) -> folded.putIfAbsent(Matching.folded(name), number));
        Map<String, Integer> found = new LinkedHashMap<>();
        numbers.forEach((name, number) -> {
            Integer other = folded.get(Matching.folded(name));
            if (other == null && others.numbers.containsValue(number)) other = number;
            if (other != null) found.put(name, other);
        });
        return found;
    }

    boolean meets(Proto.EnumType others) {
        return !among(others).isEmpty();
    }

    /** The reverse of {@link #among}: names that match by name come before those that match by number. */
    Map<Long, String> of(Proto.EnumType others) {
        Map<String, Integer> forward = among(others);
        Map<Long, String> found = new HashMap<>();
        forward.forEach((name, number) -> {
            boolean named = others.numbers.keySet().stream().anyMatch(each -> Matching.folded(each).equals(Matching.folded(name)));
            if (named) found.putIfAbsent((long) number, name);
        });
        forward.forEach((name, number) -> found.putIfAbsent((long) number, name));
        return found;
    }
}
