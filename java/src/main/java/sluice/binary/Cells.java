package sluice.binary;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** The values of a column, where they are: each in a row, an array or a struct, at a position. */
record Cells(SpecializedGetters[] holders, int[] places) {
    int count() {
        return places.length;
    }

    boolean isNull(int i) {
        return holders[i].isNullAt(places[i]);
    }

    /** A column of rows. */
    static Cells of(InternalRow[] rows, int column) {
        int[] places = new int[rows.length];
        Arrays.fill(places, column);
        return new Cells(rows, places);
    }

    /** All items of the arrays that values hold; nothing for NULL. */
    static Cells of(List<ArrayData> arrays) {
        int count = arrays.stream().mapToInt(ArrayData::numElements).sum();
        Cells found = new Cells(new SpecializedGetters[count], new int[count]);
        int at = 0;
        for (ArrayData array : arrays) {
            for (int i = 0; i < array.numElements(); i++) {
                found.holders[at] = array;
                found.places[at++] = i;
            }
        }
        return found;
    }

    /** What values hold at a position, or something else for those that are NULL. */
    Cells inside(Function<Integer, SpecializedGetters> held, int place) {
        Cells found = new Cells(new SpecializedGetters[count()], new int[count()]);
        for (int i = 0; i < count(); i++) {
            found.holders[i] = held.apply(i);
            found.places[i] = place;
        }
        return found;
    }
}
