package sluice;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/** Texts as they are, with nothing between them. */
final class ToBytes extends RowEncoder {
    ToBytes(List<Writer> columns) {
        super(columns);
    }

    @Override
    void row(InternalRow row, boolean last, Out out) {
        for (int k = 0; k < columns.length; k++) {
            if (!row.isNullAt(k)) columns[k].plain(row, k, out);
        }
    }
}
