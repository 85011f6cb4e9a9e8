package sluice.binary;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Output;
import sluice.values.Settings;

/** Rows as objects of MessagePack, one for each column, without anything between them. */
public final class MsgPackEncoder extends RowEncoder {
    private final PackValue[] values;

    public MsgPackEncoder(String columns, Settings settings) {
        super(columns, settings);
        PackValues made = new PackValues(settings);
        values = Arrays.stream(types).map(made::of).toArray(PackValue[]::new);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        for (int i = 0; i < values.length; i++) values[i].put(row, i, out);
    }
}
