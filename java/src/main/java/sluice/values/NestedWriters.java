package sluice.values;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** Values that hold values, as text. */
public final class NestedWriters {
    private NestedWriters() {}

    /** Something that CSV has to put into quotes. */
    abstract static class Holder extends ValueWriter {
        @Override
        public void csv(SpecializedGetters row, int at, Output out) {
            out.put('"');
            int first = out.size;
            plain(row, at, out);
            Escapes.CSV.from(out, first);
            out.put('"');
        }
    }

    /** {@code [1,2]}. */
    public static final class Items extends Holder {
        private final ValueWriter item;

        public Items(ValueWriter item) {
            this.item = item;
        }

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

    /** {@code {'a':1}}; in JSON an object, or a list of pairs. */
    static final class Pairs extends Holder {
        private final ValueWriter key;
        private final ValueWriter value;
        private final boolean list;

        Pairs(ValueWriter key, ValueWriter value, boolean list) {
            this.key = key;
            this.value = value;
            this.list = list;
        }

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
                    out.put('[');
                    key.jsonOrNull(keys, i, out);
                    out.put(',');
                } else {
                    key.key(keys, i, out);
                    out.put(':');
                }
                value.jsonOrNull(values, i, out);
                if (list) out.put(']');
            }
            out.put(list ? ']' : '}');
        }
    }

    /** {@code (1,'a')}; in JSON a list, or an object if the parts have names. */
    public static final class Parts extends Holder {
        public final ValueWriter[] parts;
        private final byte[][] keys;
        private final boolean skipNulls;

        /** {@code names} may be null. */
        public Parts(List<ValueWriter> parts, List<String> names, Escapes escapes, boolean skipNulls) {
            this.parts = parts.toArray(new ValueWriter[0]);
            this.keys = names == null ? null : keys(names, escapes);
            this.skipNulls = skipNulls;
        }

        /** Names as the keys of a JSON object, each with its colon. */
        public static byte[][] keys(List<String> names, Escapes escapes) {
            byte[][] keys = new byte[names.size()][];
            for (int i = 0; i < keys.length; i++) {
                Output out = new Output();
                out.put('"');
                out.put(names.get(i).getBytes(StandardCharsets.UTF_8));
                escapes.from(out, 1);
                out.put("\":");
                keys[i] = out.message();
            }
            return keys;
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
