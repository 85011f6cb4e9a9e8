package sluice;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** Texts as they are, with nothing between them. */
final class ToBytes implements Encoder {
    private final Writer[] columns;

    ToBytes(List<Writer> columns) {
        this.columns = columns.toArray(new Writer[0]);
    }

    @Override
    public byte[] encode(ArrayData rows) {
        Out out = new Out();
        for (int i = 0; i < rows.numElements(); i++) {
            InternalRow row = rows.getStruct(i, columns.length);
            for (int k = 0; k < columns.length; k++) {
                if (!row.isNullAt(k)) columns[k].plain(row, k, out);
            }
        }
        return out.message();
    }
}
