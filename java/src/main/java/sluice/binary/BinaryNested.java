package sluice.binary;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.values.Output;

/** The types whose values hold values. */
final class BinaryNested {
    private static final Object[] NOTHING = {};

    private BinaryNested() {}

    /** A value or NULL: a byte that is 0 before a value. */
    static final class Optional extends BinaryValue {
        final BinaryValue value;

        Optional(BinaryValue value) {
            super(value.type, 1, null);
            this.value = value;
        }

        @Override
        Object read(BinaryCursor in) {
            return in.one() != 0 ? null : value.read(in);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            out.put(0);
            value.write(row, at, out);
        }

        @Override
        public void put(SpecializedGetters row, int at, Output out) {
            if (row.isNullAt(at)) out.put(1);
            else write(row, at, out);
        }
    }

    /** The number of items, and these. */
    static final class ArrayValue extends BinaryValue {
        final BinaryValue item;
        private final long most;

        ArrayValue(String type, BinaryValue item, long most) {
            super(type, 1, new GenericArrayData(NOTHING));
            this.item = item;
            this.most = most;
        }

        @Override
        Object read(BinaryCursor in) {
            Object[] found = new Object[in.count(most, item.least)];
            for (int i = 0; i < found.length; i++) found[i] = item.read(in);
            return new GenericArrayData(found);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            ArrayData items = row.getArray(at);
            out.putVarint(items.numElements());
            Putter.items(items, item, out);
        }
    }

    /** The number of keys, and each with its value; of a key that comes twice the last counts. */
    static final class MapValue extends BinaryValue {
        final BinaryValue key;
        final BinaryValue value;
        private final long most;

        MapValue(String type, BinaryValue key, BinaryValue value, long most) {
            super(type, 1, map(NOTHING, NOTHING));
            this.key = key;
            this.value = value;
            this.most = most;
        }

        static ArrayBasedMapData map(Object[] keys, Object[] values) {
            return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
        }

        @Override
        Object read(BinaryCursor in) {
            int count = in.count(most, key.least + value.least);
            Map<Object, Object> found = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) found.put(key.read(in), value.read(in));
            return map(found.keySet().toArray(), found.values().toArray());
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            MapData map = row.getMap(at);
            out.putVarint(map.numElements());
            Putter.pairs(map, key, value, out);
        }
    }

    /** Values of a tuple, one after another. */
    static final class StructValue extends BinaryValue {
        final BinaryValue[] parts;

        StructValue(String type, List<BinaryValue> parts) {
            super(type, parts.stream().mapToInt(part -> part.least).sum(),
                new GenericInternalRow(parts.stream().map(BinaryValue::zero).toArray()));
            this.parts = parts.toArray(new BinaryValue[0]);
        }

        @Override
        Object read(BinaryCursor in) {
            Object[] found = new Object[parts.length];
            for (int i = 0; i < found.length; i++) found[i] = parts[i].read(in);
            return new GenericInternalRow(found);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            Putter.parts(row.getStruct(at, parts.length), parts, out);
        }
    }
}
