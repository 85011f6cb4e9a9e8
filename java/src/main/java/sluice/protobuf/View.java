package sluice.protobuf;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** Values of several rows or arrays as one row, without a copy of them: of each a source, and its place there. */
record View(SpecializedGetters[] sources, int[] places) implements SpecializedGetters {
    /** Some columns of a row. */
    static View of(SpecializedGetters row, int... columns) {
        SpecializedGetters[] sources = new SpecializedGetters[columns.length];
        java.util.Arrays.fill(sources, row);
        return new View(sources, columns);
    }

    /** The items of arrays at one place. */
    static View across(ArrayData[] arrays, int place) {
        int[] places = new int[arrays.length];
        java.util.Arrays.fill(places, place);
        return new View(arrays, places);
    }

    @Override
    public boolean isNullAt(int at) {
        return sources[at].isNullAt(places[at]);
    }

    @Override
    public boolean getBoolean(int at) {
        return sources[at].getBoolean(places[at]);
    }

    @Override
    public byte getByte(int at) {
        return sources[at].getByte(places[at]);
    }

    @Override
    public short getShort(int at) {
        return sources[at].getShort(places[at]);
    }

    @Override
    public int getInt(int at) {
        return sources[at].getInt(places[at]);
    }

    @Override
    public long getLong(int at) {
        return sources[at].getLong(places[at]);
    }

    @Override
    public float getFloat(int at) {
        return sources[at].getFloat(places[at]);
    }

    @Override
    public double getDouble(int at) {
        return sources[at].getDouble(places[at]);
    }

    @Override
    public Decimal getDecimal(int at, int precision, int scale) {
        return sources[at].getDecimal(places[at], precision, scale);
    }

    @Override
    public UTF8String getUTF8String(int at) {
        return sources[at].getUTF8String(places[at]);
    }

    @Override
    public byte[] getBinary(int at) {
        return sources[at].getBinary(places[at]);
    }

    @Override
    public BinaryView getBinaryView(int at) {
        return sources[at].getBinaryView(places[at]);
    }

    @Override
    public CalendarInterval getInterval(int at) {
        return sources[at].getInterval(places[at]);
    }

    @Override
    public VariantVal getVariant(int at) {
        return sources[at].getVariant(places[at]);
    }

    @Override
    public InternalRow getStruct(int at, int count) {
        return sources[at].getStruct(places[at], count);
    }

    @Override
    public ArrayData getArray(int at) {
        return sources[at].getArray(places[at]);
    }

    @Override
    public MapData getMap(int at) {
        return sources[at].getMap(places[at]);
    }

    @Override
    public Object get(int at, DataType type) {
        return sources[at].get(places[at], type);
    }
}
