package sluice.functions;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.errors.ConditionException;
import sluice.scan.BadValue;
import sluice.values.JsonTree;
import sluice.values.NumberReaders;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/**
 * Makes values of a ClickHouse type of JSON values, as {@code JSONExtract} does: what does not fit is
 * the type's default (NULL for a Nullable), within a list, a map or a tuple too.
 */
final class JsonFit {
    private static final Object NONE = new Object(); // does not fit
    private static final Map<UTF8String, JsonFit> KNOWN = new ConcurrentHashMap<>();
    private static final Settings SETTINGS = new Settings("""
        {"input_format_null_as_default": true, "input_format_json_empty_as_default": false,
         "input_format_json_read_numbers_as_strings": true, "input_format_json_read_bools_as_numbers": true,
         "input_format_json_read_bools_as_strings": true,
         "input_format_json_read_arrays_as_strings": true,
         "input_format_json_read_objects_as_strings": true,
         "input_format_json_named_tuples_as_objects": true,
         "input_format_json_defaults_for_missing_elements_in_named_tuple": true,
         "input_format_json_ignore_unknown_keys_in_named_tuple": true,
         "bool_true_representation": "true", "bool_false_representation": "false",
         "date_time_input_format": "best_effort"}""");

    private final TypeSpec type;
    private final String kind;
    private final boolean nullable;
    private final ValueReader texts; // reads values that are texts
    private final List<JsonFit> parts = new ArrayList<>(); // an array's item, a map's value, a tuple's all
    private final List<UTF8String> fields = new ArrayList<>(); // a tuple's, by their names
    private final Map<String, UTF8String> names = new HashMap<>(); // an enum's, by name and by number
    private final Object missing;

    private JsonFit(TypeSpec type) {
        this.type = type;
        kind = type.kind();
        nullable = type.nullable();
        texts = new ValueReaders(SETTINGS, false).of(type);
        if (kind.equals("items")) parts.add(new JsonFit(type.inner("item")));
        if (kind.equals("pairs")) parts.add(new JsonFit(type.inner("value")));
        if (kind.equals("parts")) {
            for (TypeSpec.Column field : type.fields()) {
                parts.add(new JsonFit(field.type()));
                fields.add(UTF8String.fromString(field.name()));
            }
        }
        for (JsonNode value : type.json().path("values")) {
            UTF8String name = UTF8String.fromString(value.get(0).asText());
            names.put("k" + name, name);
            names.put("i" + value.get(1).asText(), name);
        }
        missing = kind.equals("parts") && !nullable
            ? new GenericInternalRow(parts.stream().map(part -> part.missing).toArray()) : texts.missing;
    }

    /** For a type that is described as decoders' types are. */
    static JsonFit of(UTF8String described) {
        JsonFit known = KNOWN.get(described);
        if (known == null) {
            known = new JsonFit(new TypeSpec(TypeSpec.tree(described.toString())));
            KNOWN.put(described.clone(), known); // written out in a query: there are not many
        }
        return known;
    }

    /** The value that Spark holds. */
    Object value(JsonTree given) {
        if (given == null || given.kind == JsonTree.Kind.NULL) return missing;
        Object found;
        try {
            found = fitted(given);
        } catch (BadValue bad) {
            found = NONE;
        }
        return found == NONE ? missing : found;
    }

    private Object fitted(JsonTree given) {
        JsonTree.Kind form = given.kind;
        switch (kind) {
            case "whole": return whole(JsonPaths.number(given, true));
            case "unsigned64": return orNone(JsonPaths.unsigned(JsonPaths.number(given, true)));
            case "floating": {
                Double real = JsonPaths.real(given, true);
                if (real == null) return NONE;
                return type.bits() == 32 ? (Object) real.floatValue() : (Object) real;
            }
            case "exact": return exact(given);
            case "bool": return bool(given);
            case "text": return JsonPaths.text(given);
            case "fixed": return read(JsonPaths.text(given));
            case "choice": return orNone(names.get(form == JsonTree.Kind.STRING ? "k" + given.text
                : form == JsonTree.Kind.INT ? "i" + given.whole : ""));
            case "uuid": return form == JsonTree.Kind.STRING ? read(given.text) : NONE;
            case "day": {
                boolean date = form == JsonTree.Kind.STRING && given.text.numBytes() >= 8
                    && given.text.numBytes() <= 10;
                return date ? read(given.text) : NONE;
            }
            case "instant": return instant(given);
            case "items": {
                if (form != JsonTree.Kind.LIST) return NONE;
                return new GenericArrayData(each(given.items));
            }
            case "pairs": {
                if (form != JsonTree.Kind.OBJECT) return NONE;
                return new ArrayBasedMapData(new GenericArrayData(given.keys.toArray()),
                    new GenericArrayData(each(given.items)));
            }
            case "parts": return tuple(given);
            default: return NONE;
        }
    }

    private static Object orNone(Object found) {
        return found == null ? NONE : found;
    }

    private Object read(UTF8String text) {
        byte[] bytes = text.getBytes();
        return texts.text(bytes, 0, bytes.length);
    }

    private Object whole(Object number) {
        if (!(number instanceof Long found)) return NONE;
        if (found < type.json().get("low").asLong() || found > type.json().get("high").asLong()) return NONE;
        return NumberReaders.boxed(found, type.bits());
    }

    /** A UInt8 that is not 0. */
    private static Object bool(JsonTree given) {
        Object number = JsonPaths.number(given, true);
        return number instanceof Long found && found >= 0 && found < 256 ? (Object) (found != 0) : NONE;
    }

    private Object exact(JsonTree given) {
        int precision = type.precision();
        int scale = type.scale();
        BigDecimal number;
        switch (given.kind) {
            case STRING: return read(given.text);
            case INT: number = BigDecimal.valueOf(given.whole); break;
            case UINT: number = new BigDecimal(Long.toUnsignedString(given.whole)); break;
            case DOUBLE: number = new BigDecimal(Double.toString(given.real)); break;
            default: return NONE;
        }
        BigDecimal found = number.setScale(scale, RoundingMode.DOWN);
        if (found.precision() > precision) {
            throw ConditionException.ofExpression("DECIMAL_OVERFLOW",
                Map.of("reason", number.toPlainString() + " in JSON is no " + type.name()));
        }
        return Decimal.apply(found, precision, scale);
    }

    private Object instant(JsonTree given) {
        if (given.kind == JsonTree.Kind.STRING) return read(given.text);
        boolean fine = type.precision() >= 0;
        boolean whole = given.kind == JsonTree.Kind.INT || given.kind == JsonTree.Kind.UINT;
        if (!whole && given.kind != JsonTree.Kind.DOUBLE) return NONE;
        double seconds = whole ? given.whole : given.real;
        if (!fine && (seconds < 0 || seconds > 0xFFFFFFFFL) || Math.abs(seconds) > 1e11) return NONE;
        if (whole || !fine) return (long) seconds * 1_000_000L;
        double tens = Math.pow(10, type.precision());
        return (long) ((long) (seconds * tens) * (1e6 / tens));
    }

    private Object[] each(List<JsonTree> items) {
        Object[] found = new Object[items.size()];
        for (int n = 0; n < found.length; n++) found[n] = parts.get(0).value(items.get(n));
        return found;
    }

    /** From a list, from an object by names, or by the order of its keys if the tuple has none. */
    private Object tuple(JsonTree given) {
        if (given.items == null) return NONE;
        Object[] found = new Object[parts.size()];
        boolean byName = given.keys != null && type.isNamed();
        for (int n = 0; n < found.length; n++) {
            JsonTree part = byName ? given.get(fields.get(n)) : given.get(n + 1L);
            found[n] = parts.get(n).value(part);
        }
        return new GenericInternalRow(found);
    }
}
