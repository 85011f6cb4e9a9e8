package sluice.text;

import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Output;
import sluice.values.Settings;

/** Texts as they are, with nothing between them. */
public final class RawBlobEncoder extends RowEncoder {
    public RawBlobEncoder(String columns, Settings settings) {
        super(columns, settings);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        for (int k = 0; k < columns.length; k++) {
            if (!row.isNullAt(k)) columns[k].plain(row, k, out);
        }
    }
}
