package sluice;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** A format whose messages are rows, one after another. */
abstract class RowEncoder implements Encoder {
    final Writer[] columns;

    RowEncoder(List<Writer> columns) {
        this.columns = columns.toArray(new Writer[0]);
    }

    /** Write what stands before the rows. */
    void begin(Out out) {}

    /** Write a row, and what stands behind it. */
    abstract void row(InternalRow row, boolean last, Out out);

    @Override
    public final byte[] encode(ArrayData rows) {
        Out out = new Out();
        begin(out);
        int count = rows.numElements();
        for (int i = 0; i < count; i++) row(rows.getStruct(i, columns.length), i == count - 1, out);
        return out.message();
    }
}
