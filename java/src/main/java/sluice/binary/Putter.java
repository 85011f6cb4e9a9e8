package sluice.binary;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.values.Output;

/** Writes a value that may be NULL, wherever it is. */
interface Putter extends Serializable {
    void put(SpecializedGetters row, int at, Output out);

    /** Write the items of an array. */
    static void items(ArrayData items, Putter item, Output out) {
        int count = items.numElements();
        for (int i = 0; i < count; i++) item.put(items, i, out);
    }

    /** Write each key of a map with its value. */
    static void pairs(MapData map, Putter key, Putter value, Output out) {
        ArrayData keys = map.keyArray();
        ArrayData values = map.valueArray();
        int count = map.numElements();
        for (int i = 0; i < count; i++) {
            key.put(keys, i, out);
            value.put(values, i, out);
        }
    }

    /** Write the parts of a tuple. */
    static void parts(SpecializedGetters tuple, Putter[] parts, Output out) {
        for (int i = 0; i < parts.length; i++) parts[i].put(tuple, i, out);
    }
}
