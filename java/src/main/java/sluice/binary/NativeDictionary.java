package sluice.binary;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.Output;

/** A column of LowCardinality: the values that there are, and the number of each row's value. */
final class NativeDictionary extends NativeColumn {
    private static final long VERSION = 1;
    private static final long GLOBAL = 1 << 8;
    private static final long OWN_KEYS = 1 << 9;
    private static final long UPDATED = 1 << 10;

    private final BinaryValue value;
    private final boolean nullable;

    /** Of values, the first of which stands for NULL if they may be that. */
    NativeDictionary(BinaryValue value, boolean nullable) {
        this.value = value;
        this.nullable = nullable;
    }

    @Override
    void begin(BinaryCursor in) {
        if (in.eight() != VERSION) throw new BadValue("Invalid version for SerializationLowCardinality key column");
    }

    @Override
    void begin(Output out) {
        out.putLowLong(VERSION);
    }

    @Override
    Object[] read(BinaryCursor in, int count) {
        check(in, count, 1);
        Object[] found = new Object[count];
        for (int done = 0; done < count; ) {
            long kind = in.eight();
            int width = (int) (kind & 0xFF);
            if (width > 3 || (kind & ~(0xFF | GLOBAL | OWN_KEYS | UPDATED)) != 0) {
                throw new BadValue("Invalid type for SerializationLowCardinality index column");
            }
            if ((kind & GLOBAL) != 0 || (kind & OWN_KEYS) == 0) {
                throw new BadValue("LowCardinality without keys of its own is not read from Native");
            }
            Object[] keys = keys(in);
            long rows = in.eight();
            if (rows <= 0 || rows > count - done) {
                throw new BadValue("Unexpected number of LowCardinality indexes: " + Long.toUnsignedString(rows));
            }
            for (long end = done + rows; done < end; done++) found[done] = keys[index(in, width, keys.length)];
        }
        return found;
    }

    private Object[] keys(BinaryCursor in) {
        long count = in.eight();
        if (count < 0 || count > (in.end - in.at) / value.least) throw in.tooShort(count);
        Object[] keys = new Object[(int) count];
        for (int i = 0; i < keys.length; i++) keys[i] = value.read(in);
        if (nullable && keys.length > 0) keys[0] = null;
        return keys;
    }

    private static int index(BinaryCursor in, int width, int keys) {
        long found = width == 0 ? in.one() & 0xFF : width == 1 ? in.two() & 0xFFFF
            : width == 2 ? in.four() & 0xFFFFFFFFL : in.eight();
        if (found < 0 || found >= keys) {
            throw new BadValue("Index for LowCardinality is out of range. Dictionary size is " + keys
                + ", but found index with value " + Long.toUnsignedString(found));
        }
        return (int) found;
    }

    @Override
    void write(Cells cells, Output out) {
        int count = cells.count();
        if (count == 0) return;
        Output keys = new Output();
        Map<UTF8String, Integer> known = new HashMap<>();
        int size = 0;
        if (nullable) {
            put(keys);
            size++;
        }
        int first = keys.size;
        put(keys);
        known.put(UTF8String.fromBytes(Arrays.copyOfRange(keys.bytes, first, keys.size)), size++);
        int[] indexes = new int[count];
        for (int i = 0; i < count; i++) {
            if (nullable && cells.isNull(i)) continue;
            first = keys.size;
            value.put(cells.holders()[i], cells.places()[i], keys);
            Integer before = known.putIfAbsent(UTF8String.fromBytes(Arrays.copyOfRange(keys.bytes, first, keys.size)), size);
            indexes[i] = before == null ? size++ : before;
            if (before != null) keys.size = first;
        }
        int width = size <= 1 << 8 ? 0 : size <= 1 << 16 ? 1 : 2;
        out.putLowLong(width | OWN_KEYS | UPDATED);
        out.putLowLong(size);
        out.put(keys.bytes, 0, keys.size);
        out.putLowLong(count);
        for (int index : indexes) out.putLow(index, 1 << width);
    }

    /** Write the type's default. */
    private void put(Output keys) {
        value.put(new GenericInternalRow(1), 0, keys);
    }
}
