package sluice.binary;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Output;
import sluice.values.Settings;

/** Documents of BSON, one after another, whose fields have the columns' names. */
public final class BsonEncoder extends RowEncoder {
    private final BsonValue[] values;
    private final byte[][] keys;

    public BsonEncoder(String columns, Settings settings) {
        super(columns, settings);
        BsonValues made = new BsonValues(settings);
        values = Arrays.stream(types).map(made::of).toArray(BsonValue[]::new);
        keys = Arrays.stream(names).map(made::name).toArray(byte[][]::new);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        int first = BsonValue.open(out);
        for (int i = 0; i < values.length; i++) values[i].put(keys[i], row, i, out);
        BsonValue.close(first, out);
    }
}
