package sluice.flink;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.NameTable;
import sluice.values.ValueReader;

/**
 * Values that hold values, in JSON. Where errors are ignored, a value that is wrong is NULL, and what
 * holds it is not.
 */
final class FlinkNested {
    private FlinkNested() {}

    /** A type whose values are lists or objects. */
    abstract static class Holder extends FlinkValue {
        private final byte kind;
        final boolean lenient;

        Holder(String type, byte kind, boolean lenient) {
            super(type);
            this.kind = kind;
            this.lenient = lenient;
        }

        @Override
        public Object json(JsonCursor in) {
            byte found = in.next();
            if (found == kind) return inside(in);
            if (found == JsonCursor.NULL) return null;
            if (found == JsonCursor.LIST || found == JsonCursor.OBJECT) throw wrong(in);
            throw wrong(in.text, in.from, in.to);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            throw wrong(b, from, to);
        }

        /** Read the brackets, which come next, and what they hold. */
        abstract Object inside(JsonCursor in);

        /** The next value inside. */
        final Object read(ValueReader value, JsonCursor in) {
            if (!lenient) return value.json(in);
            int first = in.at;
            try {
                return value.json(in);
            } catch (BadValue bad) {
                in.at = first;
                in.skipUnread(); // which fails if it is no JSON at all
                return null;
            }
        }
    }

    /** {@code [1, 2]}. */
    static final class ArrayValue extends Holder {
        private final ValueReader item;

        ArrayValue(String type, ValueReader item, boolean lenient) {
            super(type, JsonCursor.LIST, lenient);
            this.item = item;
        }

        @Override
        Object inside(JsonCursor in) {
            in.at++;
            List<Object> found = new ArrayList<>();
            for (boolean more = !in.took(']'); more; more = in.another(']')) found.add(read(item, in));
            return new GenericArrayData(found.toArray());
        }
    }

    /** {@code {"a": 1}}; of a key that comes twice, the last counts. */
    static final class MapValue extends Holder {
        private final ValueReader key;
        private final ValueReader value;

        MapValue(String type, ValueReader key, ValueReader value, boolean lenient) {
            super(type, JsonCursor.OBJECT, lenient);
            this.key = key;
            this.value = value;
        }

        @Override
        Object inside(JsonCursor in) {
            in.at++;
            Map<Object, Object> found = new LinkedHashMap<>();
            for (boolean more = !in.took('}'); more; more = in.another('}')) {
                in.key();
                Object name = key.text(in.text, in.from, in.to);
                found.put(name, read(value, in));
            }
            return new ArrayBasedMapData(new GenericArrayData(found.keySet().toArray()),
                new GenericArrayData(found.values().toArray()));
        }
    }

    /** {@code {"x": 1, "y": "a"}}: a row, or the whole message; names that it does not know are skipped. */
    static final class StructValue extends Holder {
        private final ValueReader[] parts;
        private final List<String> names;
        private final NameTable places;
        private final boolean complete;

        /** {@code complete}: every name has to be there. */
        StructValue(String type, List<ValueReader> parts, List<String> names, boolean complete, boolean lenient) {
            super(type, JsonCursor.OBJECT, lenient);
            this.parts = parts.toArray(new ValueReader[0]);
            this.names = new ArrayList<>(names);
            this.places = new NameTable(names);
            this.complete = complete;
        }

        @Override
        Object inside(JsonCursor in) {
            Object[] found = new Object[parts.length];
            fill(in, found, 0);
            return new GenericInternalRow(found);
        }

        /** Read an object, which comes next, into a row from a place on. */
        void fill(JsonCursor in, Object[] row, int first) {
            boolean[] seen = complete ? new boolean[parts.length] : null;
            in.at++;
            int at = -1;
            for (boolean more = !in.took('}'); more; more = in.another('}')) {
                in.key();
                at = places.find(in, at + 1);
                if (at < 0) {
                    in.skip();
                } else {
                    row[first + at] = field(in, at);
                    if (seen != null) seen[at] = true;
                }
            }
            if (seen != null) check(seen);
        }

        private Object field(JsonCursor in, int at) {
            try {
                return read(parts[at], in);
            } catch (BadValue bad) {
                throw bad.inField(names.get(at));
            }
        }

        private void check(boolean[] seen) {
            for (int i = 0; i < seen.length; i++) {
                if (!seen[i]) {
                    throw new BadValue("Could not find field with name '" + names.get(i) + "'.");
                }
            }
        }
    }
}
