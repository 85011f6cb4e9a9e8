package sluice.parquet;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** A column of what is true or false, eight in a byte. */
final class BitPages extends Pages {
    private int held;

    BitPages(ColumnDescriptor column, Form form) {
        super(column, form, false);
    }

    @Override
    void put(SpecializedGetters from, int at) {
        int bit = present & 7;
        held |= (from.getBoolean(at) ? 1 : 0) << bit;
        if (bit == 7) {
            plain.put(held);
            held = 0;
        }
    }

    @Override
    void end() {
        if ((present & 7) != 0) {
            plain.put(held);
            held = 0;
        }
    }

    @Override
    int dictionarySize() {
        return 0;
    }

    @Override
    int dictionaryCount() {
        return 0;
    }

    @Override
    Bytes dictionary() {
        return plain;
    }

    @Override
    void renew() {}
}
