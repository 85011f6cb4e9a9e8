package sluice.encode;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.values.Output;
import sluice.values.ValueWriter;

/** A format whose messages are rows, one after another. */
public abstract class RowEncoder implements Encoder {
    public final ValueWriter[] columns;

    public RowEncoder(List<ValueWriter> columns) {
        this.columns = columns.toArray(new ValueWriter[0]);
    }

    /** Write what stands before the rows. */
    protected void begin(Output out) {}

    /** Write a row, and what stands behind it. */
    protected abstract void row(InternalRow row, boolean last, Output out);

    @Override
    public final byte[] encode(ArrayData rows) {
        Output out = new Output();
        begin(out);
        int count = rows.numElements();
        for (int i = 0; i < count; i++) row(rows.getStruct(i, columns.length), i == count - 1, out);
        return out.message();
    }
}
