package sluice.binary;

import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows in ClickHouse's RowBinary. */
public final class RowBinaryEncoder extends RowEncoder {
    private final BinaryValue[] values;

    public RowBinaryEncoder(String columns, Settings settings) {
        super(columns, settings);
        BinaryValues made = new BinaryValues(settings);
        values = TypeSpec.columns(columns).stream().map(each -> made.of(each.type())).toArray(BinaryValue[]::new);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        for (int i = 0; i < values.length; i++) values[i].put(row, i, out);
    }
}
