package sluice.values;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** Arrays, maps and tuples as text. */
public final class NestedWriters {
    private NestedWriters() {}

    /** A value that CSV has in quotes. */
    interface Nested extends ValueWriter {
        @Override
        default void csv(SpecializedGetters row, int at, Output out) {
            int first = out.open('"');
            plain(row, at, out);
            out.close(first, Escapes.CSV, '"');
        }
    }

    /** {@code [1,2]}. */
    public record ArrayValue(ValueWriter item) implements Nested {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            list(row.getArray(at), false, out);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            list(row.getArray(at), true, out);
        }

        private void list(ArrayData items, boolean json, Output out) {
            out.put('[');
            int count = items.numElements();
            for (int i = 0; i < count; i++) {
                if (i > 0) out.put(',');
                if (json) item.jsonOrNull(items, i, out);
                else item.quotedOrNull(items, i, out);
            }
            out.put(']');
        }
    }

    /** {@code {'a':1}}; in JSON an object, or a list of tuples, which have names or not. */
    record MapValue(ValueWriter key, ValueWriter value, boolean list, boolean named) implements Nested {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            MapData map = row.getMap(at);
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            out.put('{');
            for (int i = 0; i < map.numElements(); i++) {
                if (i > 0) out.put(',');
                key.quotedOrNull(keys, i, out);
                out.put(':');
                value.quotedOrNull(values, i, out);
            }
            out.put('}');
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            MapData map = row.getMap(at);
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            out.put(list ? '[' : '{');
            for (int i = 0; i < map.numElements(); i++) {
                if (i > 0) out.put(',');
                if (list) {
                    out.put(named ? "{\"keys\":" : "[");
                    key.jsonOrNull(keys, i, out);
                    out.put(named ? ",\"values\":" : ",");
                } else {
                    key.key(keys, i, out);
                    out.put(':');
                }
                value.jsonOrNull(values, i, out);
                if (list) out.put(named ? '}' : ']');
            }
            out.put(list ? ']' : '}');
        }
    }

    /** {@code (1,'a')}; in JSON a list, or an object if the fields have names. */
    public static final class StructValue implements Nested {
        public final ValueWriter[] parts;
        private final byte[][] keys;
        private final boolean skipNulls;

        /** {@code names} may be null. */
        public StructValue(List<ValueWriter> parts, List<String> names, Escapes escapes, boolean skipNulls) {
            this.parts = parts.toArray(new ValueWriter[0]);
            this.keys = names == null ? null : keys(names, escapes);
            this.skipNulls = skipNulls;
        }

        /** Names as the keys of a JSON object, each with its colon. */
        public static byte[][] keys(List<String> names, Escapes escapes) {
            return names.stream().map(name -> {
                Output out = new Output();
                int first = out.open('"');
                out.put(name.getBytes(StandardCharsets.UTF_8));
                out.close(first, escapes, '"');
                out.put(':');
                return out.message();
            }).toArray(byte[][]::new);
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            InternalRow inner = row.getStruct(at, parts.length);
            out.put('(');
            for (int i = 0; i < parts.length; i++) {
                if (i > 0) out.put(',');
                parts[i].quotedOrNull(inner, i, out);
            }
            out.put(')');
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            object(row.getStruct(at, parts.length), out);
        }

        /** A whole row. */
        public void object(InternalRow inner, Output out) {
            out.put(keys == null ? '[' : '{');
            boolean first = true;
            for (int i = 0; i < parts.length; i++) {
                if (keys != null && skipNulls && inner.isNullAt(i)) continue;
                if (!first) out.put(',');
                first = false;
                if (keys != null) out.put(keys[i]);
                parts[i].jsonOrNull(inner, i, out);
            }
            out.put(keys == null ? ']' : '}');
        }
    }
}
