package sluice.text;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Output;
import sluice.values.ValueWriter;

/** Texts as they are, with nothing between them. */
public final class RawBlobEncoder extends RowEncoder {
    public RawBlobEncoder(List<ValueWriter> columns) {
        super(columns);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        for (int k = 0; k < columns.length; k++) {
            if (!row.isNullAt(k)) columns[k].plain(row, k, out);
        }
    }
}
