package sluice.binary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.scan.BadValue;
import sluice.values.Output;

/** Columns whose values hold values. */
final class NativeNested {
    private static final ArrayData EMPTY = new GenericArrayData(new Object[0]);

    private NativeNested() {}

    /** Where the items of each of so many arrays end. */
    private static int[] ends(BinaryCursor in, int count) {
        NativeColumn.check(in, count, Long.BYTES);
        int[] ends = new int[count];
        long last = 0;
        for (int i = 0; i < count; i++) {
            long end = in.eight();
            if (Long.compareUnsigned(end, last) < 0) {
                throw new BadValue("Arrays offsets are not monotonically increasing (starting at 0, value "
                    + Long.toUnsignedString(end) + ")");
            }
            if (Long.compareUnsigned(end, in.end - in.at) > 0) {
                throw new BadValue("Array sizes are too large: " + Long.toUnsignedString(end));
            }
            last = end;
            ends[i] = (int) end;
        }
        return ends;
    }

    private static int total(int[] ends) {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    private static void putEnds(List<ArrayData> arrays, Output out) {
        long end = 0;
        for (ArrayData array : arrays) {
            end += array.numElements();
            out.putLowLong(end);
        }
    }

    /** Where each array ends, and then the items of all. */
    static final class ArrayValue extends NativeColumn {
        private final NativeColumn item;

        ArrayValue(NativeColumn item) {
            this.item = item;
        }

        @Override
        void begin(BinaryCursor in) {
            item.begin(in);
        }

        @Override
        void begin(Output out) {
            item.begin(out);
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            int[] ends = ends(in, count);
            Object[] items = item.read(in, total(ends));
            Object[] found = new Object[count];
            int first = 0;
            for (int i = 0; i < count; i++) {
                found[i] = new GenericArrayData(Arrays.copyOfRange(items, first, ends[i]));
                first = ends[i];
            }
            return found;
        }

        @Override
        void write(Cells cells, Output out) {
            List<ArrayData> arrays = new ArrayList<>();
            for (int i = 0; i < cells.count(); i++) {
                arrays.add(cells.isNull(i) ? EMPTY : cells.holders()[i].getArray(cells.places()[i]));
            }
            putEnds(arrays, out);
            item.write(Cells.of(arrays), out);
        }
    }

    /** Where each map ends, and then the keys of all, and the values of all. */
    static final class MapValue extends NativeColumn {
        private final NativeColumn key;
        private final NativeColumn value;

        MapValue(NativeColumn key, NativeColumn value) {
            this.key = key;
            this.value = value;
        }

        @Override
        void begin(BinaryCursor in) {
            key.begin(in);
            value.begin(in);
        }

        @Override
        void begin(Output out) {
            key.begin(out);
            value.begin(out);
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            int[] ends = ends(in, count);
            Object[] keys = key.read(in, total(ends));
            Object[] values = value.read(in, total(ends));
            Object[] found = new Object[count];
            int at = 0;
            for (int i = 0; i < count; i++) {
                Map<Object, Object> pairs = new LinkedHashMap<>();
                for (; at < ends[i]; at++) pairs.put(keys[at], values[at]);
                found[i] = BinaryNested.MapValue.map(pairs.keySet().toArray(), pairs.values().toArray());
            }
            return found;
        }

        @Override
        void write(Cells cells, Output out) {
            List<ArrayData> keys = new ArrayList<>();
            List<ArrayData> values = new ArrayList<>();
            for (int i = 0; i < cells.count(); i++) {
                MapData map = cells.isNull(i) ? null : cells.holders()[i].getMap(cells.places()[i]);
                keys.add(map == null ? EMPTY : map.keyArray());
                values.add(map == null ? EMPTY : map.valueArray());
            }
            putEnds(keys, out);
            key.write(Cells.of(keys), out);
            value.write(Cells.of(values), out);
        }
    }

    /** The column of each part. */
    static final class StructValue extends NativeColumn {
        private final NativeColumn[] parts;

        StructValue(List<NativeColumn> parts) {
            this.parts = parts.toArray(new NativeColumn[0]);
        }

        @Override
        void begin(BinaryCursor in) {
            for (NativeColumn part : parts) part.begin(in);
        }

        @Override
        void begin(Output out) {
            for (NativeColumn part : parts) part.begin(out);
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            NativeColumn.check(in, count, parts.length);
            Object[][] columns = new Object[parts.length][];
            for (int i = 0; i < parts.length; i++) columns[i] = parts[i].read(in, count);
            Object[] found = new Object[count];
            for (int row = 0; row < count; row++) {
                Object[] values = new Object[parts.length];
                for (int i = 0; i < parts.length; i++) values[i] = columns[i][row];
                found[row] = new GenericInternalRow(values);
            }
            return found;
        }

        @Override
        void write(Cells cells, Output out) {
            GenericInternalRow nothing = new GenericInternalRow(parts.length);
            for (int i = 0; i < parts.length; i++) {
                parts[i].write(cells.inside(row -> cells.isNull(row) ? nothing
                    : cells.holders()[row].getStruct(cells.places()[row], parts.length), i), out);
            }
        }
    }
}
