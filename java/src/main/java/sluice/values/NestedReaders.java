package sluice.values;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.QuotedText;

/** Values that hold values. */
public final class NestedReaders {
    private static final Object[] NOTHING = {};

    private NestedReaders() {}

    /** A type whose values are lists or objects. */
    public abstract static class Holder extends ValueReader {
        Holder(String type, Object missing) {
            super(type, missing);
        }

        /** A text is one if it is written like ClickHouse writes it. */
        @Override
        public Object text(byte[] b, int from, int to) {
            QuotedText in = new QuotedText(b, from, to);
            Object value = quoted(in);
            in.finish();
            return value;
        }

        @Override
        public Object quoted(QuotedText in) {
            int b = in.peek();
            if ((b | 0x20) != 'n') return inside(in);
            in.item();
            if (!in.isNull()) throw wrong(in.text, in.from, in.to);
            return none();
        }

        /** A text in JSON is none of these, unless an empty one is the default. */
        final Object notText(JsonCursor in) {
            if (emptyIsDefault && in.from == in.to) return missing;
            throw wrong(in.text, in.from, in.to);
        }

        /** Read the brackets and what they hold. */
        abstract Object inside(QuotedText in);
    }

    /** {@code [1, 2]}. */
    public static final class ArrayValue extends Holder {
        public final ValueReader item;

        ArrayValue(String type, ValueReader item, boolean nullable) {
            super(type, nullable ? null : new GenericArrayData(NOTHING));
            this.item = item;
        }

        @Override
        public Object json(JsonCursor in) {
            byte kind = in.next();
            if (kind == JsonCursor.NULL) return none();
            if (kind == JsonCursor.OBJECT) throw wrong(in);
            if (kind != JsonCursor.LIST) return notText(in);
            in.at++;
            List<Object> found = new ArrayList<>();
            for (boolean more = !in.took(']'); more; more = in.another(']')) found.add(item.json(in));
            return new GenericArrayData(found.toArray());
        }

        @Override
        Object inside(QuotedText in) {
            in.take('[');
            List<Object> found = new ArrayList<>();
            while (!in.took(']')) {
                if (!found.isEmpty()) {
                    in.take(',');
                    if (in.took(']')) break;
                }
                found.add(item.quoted(in));
            }
            return new GenericArrayData(found.toArray());
        }
    }

    /** {@code {"a": 1}}; of a key that comes twice, the last counts. */
    static final class MapValue extends Holder {
        private final ValueReader key;
        private final ValueReader value;
        private final StructValue entry; // if JSON has an array of these instead of an object

        MapValue(String type, ValueReader key, ValueReader value, boolean listed, boolean nullable) {
            super(type, nullable ? null : map(NOTHING, NOTHING));
            this.key = key;
            this.value = value;
            entry = listed ? new StructValue("Tuple of " + type, List.of(key, value), List.of("keys", "values"), false, false, false)
                : null;
        }

        private static ArrayBasedMapData map(Object[] keys, Object[] values) {
            return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
        }

        @Override
        public Object json(JsonCursor in) {
            byte kind = in.next();
            if (kind == JsonCursor.NULL) return none();
            if (kind == (entry == null ? JsonCursor.LIST : JsonCursor.OBJECT)) throw wrong(in);
            if (kind != JsonCursor.OBJECT && kind != JsonCursor.LIST) return notText(in);
            if (entry != null) return entries(in);
            in.at++;
            Map<Object, Object> found = new java.util.LinkedHashMap<>();
            for (boolean more = !in.took('}'); more; more = in.another('}')) {
                in.key();
                Object name = key.text(in.text, in.from, in.to);
                found.put(name, value.json(in));
            }
            return map(found.keySet().toArray(), found.values().toArray());
        }

        private Object entries(JsonCursor in) {
            in.at++;
            Map<Object, Object> found = new java.util.LinkedHashMap<>();
            for (boolean more = !in.took(']'); more; more = in.another(']')) {
                Object[] pair = ((GenericInternalRow) entry.json(in)).values();
                found.put(pair[0], pair[1]);
            }
            return map(found.keySet().toArray(), found.values().toArray());
        }

        @Override
        Object inside(QuotedText in) {
            in.take('{');
            Map<Object, Object> found = new java.util.LinkedHashMap<>();
            while (!in.took('}')) {
                if (!found.isEmpty()) {
                    in.take(',');
                    if (in.took('}')) break;
                }
                Object name = key.quoted(in);
                in.take(':');
                found.put(name, value.quoted(in));
            }
            return map(found.keySet().toArray(), found.values().toArray());
        }
    }

    /** {@code [1, "a"]}, or {@code {"x": 1, "y": "a"}} if the parts have names. */
    public static final class StructValue extends Holder {
        public final ValueReader[] parts;
        private final Map<UTF8String, Integer> names = new HashMap<>();
        private final boolean complete;
        private final boolean exact;

        /**
         * {@code names} may be null. {@code complete}: an object has to have all of them;
         * {@code exact}: and may have no others.
         */
        StructValue(String type, List<ValueReader> parts, List<String> names, boolean complete, boolean exact,
                boolean nullable) {
            super(type, nullable ? null : row(parts));
            this.parts = parts.toArray(new ValueReader[0]);
            this.complete = complete;
            this.exact = exact;
            for (int i = 0; names != null && i < names.size(); i++) {
                this.names.put(UTF8String.fromString(names.get(i)), i);
            }
        }

        private static GenericInternalRow row(List<ValueReader> parts) {
            return new GenericInternalRow(parts.stream().map(part -> part.missing).toArray());
        }

        @Override
        public Object json(JsonCursor in) {
            byte kind = in.next();
            if (kind == JsonCursor.NULL) return none();
            if (kind == JsonCursor.LIST) return list(in);
            if (kind != JsonCursor.OBJECT) return notText(in);
            if (names.isEmpty()) throw wrong(in);
            return object(in);
        }

        @Override
        Object inside(QuotedText in) {
            in.take('(');
            Object[] found = new Object[parts.length];
            for (int i = 0; i < parts.length; i++) {
                if (i > 0) in.take(',');
                found[i] = parts[i].quoted(in);
            }
            if (parts.length == 1) in.took(',');
            in.take(')');
            return new GenericInternalRow(found);
        }

        private Object list(JsonCursor in) {
            int first = in.at;
            in.at++;
            Object[] found = new Object[parts.length];
            int count = 0;
            for (boolean more = !in.took(']'); more; more = in.another(']')) {
                if (count == parts.length) throw miscounted(in, first);
                found[count] = parts[count].json(in);
                count++;
            }
            if (count < parts.length) throw miscounted(in, first);
            return new GenericInternalRow(found);
        }

        private BadValue miscounted(JsonCursor in, int first) {
            in.at = first;
            return wrong(in);
        }

        private Object object(JsonCursor in) {
            in.at++;
            Object[] found = new Object[parts.length];
            for (int i = 0; i < found.length; i++) found[i] = parts[i].missing;
            long seen = 0;
            for (boolean more = !in.took('}'); more; more = in.another('}')) {
                in.key();
                Integer at = names.get(UTF8String.fromBytes(in.text, in.from, in.to - in.from));
                if (at == null) {
                    if (exact) throw new BadValue("Unexpected element of a named tuple: "
                        + BadValue.shown(in.text, in.from, in.to));
                    in.skip();
                } else {
                    long bit = at < Long.SIZE ? 1L << at : 0;
                    if ((seen & bit) != 0) throw new BadValue("JSON object contains duplicate key '"
                        + BadValue.shown(in.text, in.from, in.to) + "'");
                    found[at] = parts[at].json(in);
                    seen |= bit;
                }
            }
            if (complete && Long.bitCount(seen) < Math.min(parts.length, 64)) {
                throw new BadValue("JSON object doesn't contain all elements of " + type);
            }
            return new GenericInternalRow(found);
        }
    }
}
