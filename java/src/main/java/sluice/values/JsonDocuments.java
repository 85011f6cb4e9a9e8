package sluice.values;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.QuotedText;

/**
 * ClickHouse's type JSON. It is an object by its paths, {@code a.b} for {@code {"a":{"b":1}}}, each with a
 * value; NULLs and empty objects are none. What is kept is the text of such an object: paths in their
 * order, without blanks, slashes as they are, and a point or an exponent in every Float64.
 */
public final class JsonDocuments {
    /** Among settings: values are written as they are kept. */
    static final String AS_STORED = "sluice.json.as-stored";
    static final String ESCAPED_DOTS = "json_type_escape_dots_in_keys";

    private static final JsonTree NOTHING = JsonTree.of(UTF8String.fromString("{}"));
    private static final UTF8String DOT = UTF8String.fromString(".");
    private static final String DOT_IN_KEY = "%2E"; // as ClickHouse has it in paths
    private static final byte[] NULL = {'n', 'u', 'l', 'l'};
    private static final int DEEPEST = 1023; // lists and objects that ClickHouse reads within each other
    private static final Settings STORED = new Settings("""
        {"sluice.json.as-stored": true, "output_format_json_escape_forward_slashes": false,
         "output_format_json_quote_64bit_integers": false, "output_format_json_quote_64bit_floats": false,
         "output_format_json_quote_denormals": true, "output_format_json_quote_decimals": true,
         "output_format_decimal_trailing_zeros": true, "bool_true_representation": "true",
         "bool_false_representation": "false", "date_time_output_format": "simple",
         "output_format_json_named_tuples_as_objects": true,
         "output_format_json_skip_null_value_in_named_tuples": false,
         "output_format_json_map_as_array_of_tuples": false}""");

    private JsonDocuments() {}

    /** What writes values as they are kept in an object. */
    public static ValueWriters writers() {
        return new ValueWriters(STORED);
    }

    /** Reads an object. */
    static final class Reader extends ValueReader {
        private final Paths paths;

        private Reader(String type, Paths paths, boolean nullable) {
            super(type, nullable ? null : paths.empty());
            this.paths = paths;
        }

        static Reader of(String type, ValueReaders readers, JsonNode described, boolean nullable) {
            Map<UTF8String, Typed> typed = new HashMap<>();
            ValueWriters writers = new ValueWriters(STORED);
            for (JsonNode path : described.get("paths")) {
                TypeSpec spec = new TypeSpec(path.get(1));
                typed.put(UTF8String.fromString(path.get(0).asText()), new Typed(readers.of(spec), writers.of(spec)));
            }
            List<String> skipped = new ArrayList<>();
            described.get("skipped").forEach(each -> skipped.add(each.asText()));
            List<Pattern> patterns = new ArrayList<>();
            described.get("patterns").forEach(each -> patterns.add(Pattern.compile(each.asText())));
            return new Reader(type, new Paths(typed, skipped, patterns, readers.jsonRules()), nullable);
        }

        @Override
        public Object json(JsonCursor in) {
            int first = in.peek();
            if (first == 'n' && in.next() == JsonCursor.NULL) return none();
            if (first == '"' && emptyIsDefault && in.next() == JsonCursor.STRING && in.from == in.to) return missing;
            if (first != '{') {
                throw new BadValue("JSON object should start with '{': '" + BadValue.shown(in.bytes, in.at, in.end) + "'");
            }
            in.object();
            return text(in.text, in.from, in.to);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            JsonTree found = JsonTree.of(b, from, to);
            if (found != null && found.kind == JsonTree.Kind.NULL) return paths.empty();
            if (found == null || found.kind != JsonTree.Kind.OBJECT) throw wrong(b, from, to);
            Output out = new Output(to - from + 16);
            paths.write(found, 0, out);
            return UTF8String.fromBytes(out.message());
        }

        @Override
        public Object quoted(QuotedText in) {
            in.item();
            if (in.isNull()) return none();
            if (!in.inQuotes) throw wrong(in.text, in.from, in.to);
            return text(in.text, in.from, in.to);
        }
    }

    /** The type of a path. */
    private record Typed(ValueReader reader, ValueWriter writer) implements java.io.Serializable {
        /** The value as JSON. */
        byte[] stored(JsonTree given) {
            return stored(reader.json(new JsonCursor(given.json().getBytes())));
        }

        /** The value of an object that does not have the path. */
        byte[] missing() {
            return stored(reader.missing);
        }

        private byte[] stored(Object value) {
            Output out = new Output(32);
            writer.jsonOrNull(new GenericInternalRow(new Object[] {value}), 0, out);
            return out.message();
        }
    }

    /**
     * What the settings say of objects.
     *
     * @param firstCounts of a path that comes again the first one counts; otherwise it is an error
     * @param valueAndObject whether a key may come as a value and as an object
     * @param wholePaths whether a pattern must match all of a path that it skips
     * @param invalidIsMissing whether a value that is none of its path's type is left out
     * @param nullIsMissing whether a path with a type is left out where it is NULL
     * @param escapedDots whether a dot in a key is a part of it, and does not separate keys
     */
    record Rules(boolean firstCounts, boolean valueAndObject, boolean wholePaths, boolean invalidIsMissing,
            boolean nullIsMissing, boolean escapedDots) implements java.io.Serializable {
        /** As the settings have them; those that are not there have ClickHouse's defaults. */
        static Rules of(Settings settings) {
            return new Rules(settings.fixed("type_json_skip_duplicated_paths"),
                !"false".equals(settings.textOrNull("type_json_allow_duplicated_key_with_literal_and_nested_object")),
                "false".equals(settings.textOrNull("type_json_use_partial_match_to_skip_paths_by_regexp")),
                settings.fixed("type_json_skip_invalid_typed_paths"),
                settings.fixed("type_json_skip_null_typed_paths"), settings.fixed(ESCAPED_DOTS));
        }
    }

    /** What the type says of paths, and the settings. */
    private record Paths(Map<UTF8String, Typed> typed, List<String> skipped, List<Pattern> patterns, Rules rules)
            implements java.io.Serializable {
        /** The object without paths but those that always have a value. */
        UTF8String empty() {
            Output out = new Output(16);
            write(NOTHING, 0, out);
            return UTF8String.fromBytes(out.message());
        }

        /** Write an object that is so many lists and objects deep inside of others. */
        void write(JsonTree object, int depth, Output out) {
            Map<UTF8String, byte[]> found = new TreeMap<>();
            collect(object, null, depth + 1, found);
            typed.forEach((path, type) -> found.computeIfAbsent(path, key -> type.missing()));
            if (rules.nullIsMissing) found.values().removeIf(value -> Arrays.equals(value, NULL));
            List<String> open = new ArrayList<>();
            boolean first = true;
            out.put('{');
            for (var each : found.entrySet()) {
                List<String> parts = Arrays.asList(each.getKey().toString().split("\\.", -1));
                int same = 0;
                while (same < open.size() && same < parts.size() - 1 && open.get(same).equals(parts.get(same))) same++;
                for (; open.size() > same; open.remove(open.size() - 1)) out.put('}');
                if (!first) out.put(',');
                first = false;
                for (; open.size() < parts.size() - 1; open.add(parts.get(open.size()))) {
                    key(parts.get(open.size()), out);
                    out.put('{');
                }
                if (depth + parts.size() > DEEPEST) throw tooDeep();
                key(parts.get(parts.size() - 1), out);
                out.put(each.getValue());
            }
            for (int i = 0; i <= open.size(); i++) out.put('}');
        }

        private static void key(String name, Output out) {
            JsonTree.quoted(UTF8String.fromString(name), out);
            out.put(':');
        }

        private void collect(JsonTree object, UTF8String prefix, int depth, Map<UTF8String, byte[]> found) {
            if (depth > DEEPEST) throw tooDeep();
            Set<UTF8String> objects = new HashSet<>(), values = new HashSet<>();
            for (int i = 0; i < object.items.size(); i++) {
                JsonTree item = object.items.get(i);
                UTF8String name = object.keys.get(i);
                if (rules.escapedDots) name = UTF8String.fromString(name.toString().replace(".", DOT_IN_KEY));
                UTF8String path = prefix == null ? name : UTF8String.concat(prefix, DOT, name);
                boolean isObject = item.kind == JsonTree.Kind.OBJECT;
                boolean again = !(isObject ? objects : values).add(name)
                    || !rules.valueAndObject && (isObject ? values : objects).contains(name);
                if (again && rules.firstCounts) continue;
                if (again) throw duplicate(path);
                if (isSkipped(path.toString())) continue;
                Typed type = typed.get(path);
                if (type == null && isObject) {
                    collect(item, path, depth + 1, found);
                    continue;
                }
                byte[] value = type != null ? stored(type, item, path) : untyped(item, depth, rules);
                if (value != null && found.putIfAbsent(path, value) != null && !rules.firstCounts) throw duplicate(path);
            }
        }

        private byte[] stored(Typed type, JsonTree item, UTF8String path) {
            try {
                return type.stored(item);
            } catch (BadValue bad) {
                if (rules.invalidIsMissing) return null;
                throw new BadValue(bad.getMessage() + " (while reading path " + path + ")");
            }
        }

        private boolean isSkipped(String path) {
            for (String each : skipped) {
                if (path.startsWith(each) && (path.length() == each.length() || path.charAt(each.length()) == '.')) {
                    return true;
                }
            }
            return patterns.stream().map(each -> each.matcher(path))
                .anyMatch(each -> rules.wholePaths ? each.matches() : each.find());
        }

        private static BadValue duplicate(UTF8String path) {
            return new BadValue("Duplicate path found during parsing JSON object: " + path);
        }

        private static BadValue tooDeep() {
            return new BadValue("Cannot parse JSON object: more than " + DEEPEST + " lists and objects within each other");
        }
    }

    private static byte[] untyped(JsonTree value, int depth, Rules rules) {
        if (value.kind == JsonTree.Kind.NULL) return null;
        Output out = new Output(32);
        put(value, depth, rules, out);
        return out.message();
    }

    private static void put(JsonTree value, int depth, Rules rules, Output out) {
        switch (value.kind) {
            case LIST: {
                if (depth >= DEEPEST) throw Paths.tooDeep();
                out.put('[');
                for (int i = 0; i < value.items.size(); i++) {
                    if (i > 0) out.put(',');
                    put(value.items.get(i), depth + 1, rules, out);
                }
                out.put(']');
                break;
            }
            case OBJECT: new Paths(Map.of(), List.of(), List.of(), rules).write(value, depth, out); break;
            case DOUBLE: {
                int first = out.size;
                FloatText.write(value.real, out);
                if (isWhole(out.bytes, first, out.size)) out.put(".0");
                break;
            }
            case BIG: out.put(value.text); break;
            default: out.put(value.json());
        }
    }

    /** Whether a number has neither a point nor an exponent. */
    private static boolean isWhole(byte[] b, int from, int to) {
        for (int i = from; i < to; i++) {
            if (b[i] == '.' || b[i] == 'e' || b[i] == 'E') return false;
        }
        return true;
    }

    /** Writes an object that was kept. */
    record Writer(boolean asStored, boolean slashes, boolean quotedIntegers, boolean quotedFloats,
            boolean escapedDots) implements ValueWriter.Escaped {
        private static final int LONGEST = 18; // digits of a number that surely has 64 bits

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            byte[] b = row.getUTF8String(at).getBytes();
            if (asStored) {
                out.put(b);
                return;
            }
            for (int i = 0; i < b.length; ) {
                if (b[i] == '"') i = string(b, i, out);
                else if (b[i] == '-' || b[i] >= '0' && b[i] <= '9') i = number(b, i, out);
                else out.put(b[i++]);
            }
        }

        /** Replace what stands for dots in a key that was written from a position on. */
        private static void unescape(Output out, int first) {
            String key = new String(out.bytes, first, out.size - first, StandardCharsets.UTF_8);
            out.size = first;
            out.put(key.replace(DOT_IN_KEY, ".").getBytes(StandardCharsets.UTF_8));
        }

        private int string(byte[] b, int i, Output out) {
            int first = out.size;
            out.put(b[i++]);
            for (; b[i] != '"'; i++) {
                if (b[i] == '/' && slashes) out.put('\\');
                if (b[i] == '\\') out.put(b[i++]);
                out.put(b[i]);
            }
            out.put(b[i]);
            if (escapedDots && b[i + 1] == ':') unescape(out, first);
            return i + 1;
        }

        private int number(byte[] b, int from, Output out) {
            int to = from;
            while (to < b.length && b[to] != ',' && b[to] != ']' && b[to] != '}') to++;
            boolean whole = isWhole(b, from, to);
            boolean quoted = whole ? quotedIntegers || isBig(b, from, to) : quotedFloats;
            if (quoted) out.put('"');
            if (whole) out.put(b, from, to - from);
            else FloatText.write(Double.parseDouble(new String(b, from, to - from)), out);
            if (quoted) out.put('"');
            return to;
        }

        /** Whether an integer is neither an Int64 nor a UInt64: ClickHouse has it as a String. */
        private static boolean isBig(byte[] b, int from, int to) {
            if (to - from <= LONGEST) return false;
            var value = new java.math.BigInteger(new String(b, from, to - from));
            return value.signum() < 0 ? value.bitLength() > 63 : value.bitLength() > 64;
        }

        @Override
        public Escapes escapes() {
            return slashes ? Escapes.JSON_SLASHES : Escapes.JSON;
        }
    }
}
