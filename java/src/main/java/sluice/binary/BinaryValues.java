package sluice.binary;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReaders;
import sluice.values.ValueWriters;

/** Makes the values of a table's types. */
final class BinaryValues implements Serializable {
    private static final long SECONDS = 3_599_999; // of the latest Time, 999:59:59

    private final transient Settings settings; // null where values are only skipped
    private final boolean jsonAsText;
    final int complexity; // of a type in a message
    private final long longest;
    private final long most;
    private final long paths;

    /** {@code jsonAsText}: whether a value of type JSON is a text. */
    BinaryValues(Settings settings, boolean jsonAsText) {
        this.settings = settings;
        this.jsonAsText = jsonAsText;
        complexity = settings.number("input_format_binary_max_type_complexity");
        longest = limit(settings, "format_binary_max_string_size");
        most = limit(settings, "format_binary_max_array_size");
        paths = limit(settings, "format_binary_max_object_size");
    }

    private BinaryValues(BinaryValues own) {
        settings = null;
        jsonAsText = own.jsonAsText;
        complexity = own.complexity;
        longest = own.longest;
        most = own.most;
        paths = own.paths;
    }

    /** Those of values that no column has. */
    BinaryValues skipped() {
        return new BinaryValues(this);
    }

    /** A limit; 0 is none. */
    private static long limit(Settings settings, String setting) {
        long given = settings.whole(setting);
        return given == 0 ? Long.MAX_VALUE : given;
    }

    /** The values of a type. */
    BinaryValue of(TypeSpec type) {
        if (type.json().has("typed")) return new BinaryTyped(type.json().get("typed").asText(), this);
        BinaryValue made = bare(type);
        return type.takesNull() ? new BinaryNested.Optional(made) : made;
    }

    /** Those of a type that are not NULL. */
    BinaryValue bare(TypeSpec type) {
        String name = type.name();
        JsonNode json = type.json();
        switch (type.kind()) {
            case "whole": return new BinaryNumbers.IntValue(name, type.bits(), json.get("low").asLong() < 0);
            case "unsigned64": return new BinaryNumbers.Unsigned64(name);
            case "floating": return new BinaryNumbers.Floating(name, type.bits() == 32);
            case "exact":
                return type.precision() <= 18 ? new BinaryNumbers.DecimalValue(name, type.precision(), type.scale())
                    : new BinaryBytes.DecimalValue(name, type.precision(), type.scale());
            case "bool": return new BinaryNumbers.Bool(name);
            case "text": return new BinaryTexts.Plain(name, longest);
            case "fixed": return new BinaryTexts.Fixed(name, json.get("length").asInt());
            case "uuid": return new BinaryBytes.Uuid(name);
            case "choice": return choice(name, json);
            case "day": return new BinaryNumbers.Day(name, json.path("wide").asBoolean());
            case "instant": return new BinaryNumbers.Instant(name, type.precision());
            case "dynamic": return new BinarySkipped(name, any()::dynamic);
            case "nothing": return new BinaryTexts.Fixed(name, 0);
            case "json":
                if (!jsonAsText) return settings == null ? skippedJson(type) : json(type);
                if (settings == null) return new BinaryTexts.Plain(name, longest);
                return new BinaryTexts.Said(name, new ValueReaders(settings, false).of(type),
                    new ValueWriters(settings).of(type), longest);
            case "bfloat16": return new BinaryNumbers.Upper(name);
            case "duration": return new BinaryNumbers.IntValue(name, 64, true);
            case "encoded": return encoded(name, json.get("type").asText());
            case "items": return new BinaryNested.ArrayValue(name, of(type.inner("item")), most);
            case "pairs": return new BinaryNested.MapValue(name, of(type.inner("key")), of(type.inner("value")), most);
            case "parts":
                return new BinaryNested.StructValue(name, type.fields().stream().map(field -> of(field.type())).toList());
            default: throw unread(name);
        }
    }

    private BinaryAny any() {
        return new BinaryAny(skipped(), longest, most, paths);
    }

    private BinaryValue json(TypeSpec type) {
        ValueReaders reads = new ValueReaders(settings, false);
        return new BinaryJson(type, reads.of(type), reads, any());
    }

    private BinaryValue skippedJson(TypeSpec type) {
        Map<String, BinaryAny.Value> typed = new HashMap<>();
        for (JsonNode path : type.json().get("paths")) {
            BinaryValue value = of(new TypeSpec(path.get(1)));
            typed.put(path.get(0).asText(), (in, out) -> {
                value.read(in);
                out.put("null");
            });
        }
        BinaryAny any = any();
        return new BinarySkipped(type.name(), (in, out) -> any.object(in, typed, out));
    }

    static BadValue unread(String type) {
        return new BadValue("Values of type " + type + " cannot be skipped");
    }

    private static BinaryValue choice(String name, JsonNode json) {
        Map<String, Integer> values = new LinkedHashMap<>();
        json.get("values").forEach(value -> values.put(value.get(0).asText(), value.get(1).asInt()));
        return new BinaryNumbers.EnumValue(name, json.path("bits").asInt(8), values, values.keySet().iterator().next());
    }

    /** A type that is stored encoded; `type` is its name in ClickHouse. */
    private static BinaryValue encoded(String name, String type) {
        String[] parts = type.split("\\(", 2);
        switch (parts[0]) {
            case "IPv4": return new BinaryNumbers.Stored(name, 4, false, Long.MAX_VALUE);
            case "IPv6": return new BinaryBytes.Same(name, 16);
            case "Int128": return new BinaryBytes.Wide(name, 16, true);
            case "Int256":
            case "Decimal": return new BinaryBytes.Wide(name, 32, true);
            case "UInt128": return new BinaryBytes.Wide(name, 16, false);
            case "UInt256": return new BinaryBytes.Wide(name, 32, false);
            case "Time": return new BinaryNumbers.Stored(name, 4, true, SECONDS);
            case "Time64":
                long unit = (long) Math.pow(10, Integer.parseInt(parts[1].substring(0, 1)));
                return new BinaryNumbers.Stored(name, 8, true, (SECONDS + 1) * unit - 1);
            case "DateTime64": return new BinaryNumbers.Stored(name, 8, true, Long.MAX_VALUE);
            default: throw new IllegalArgumentException(type);
        }
    }
}
