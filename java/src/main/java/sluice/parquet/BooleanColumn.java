package sluice.parquet;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** A column of booleans, eight in a byte. */
final class BooleanColumn extends ColumnWriter {
    private int bits;

    BooleanColumn(ColumnDescriptor column, Limits limits) {
        super(column, limits, false);
    }

    @Override
    void put(SpecializedGetters from, int at) {
        int bit = present & 7;
        bits |= (from.getBoolean(at) ? 1 : 0) << bit;
        if (bit == 7) {
            plain.put(bits);
            bits = 0;
        }
    }

    @Override
    void endPage() {
        if ((present & 7) != 0) {
            plain.put(bits);
            bits = 0;
        }
    }
}
