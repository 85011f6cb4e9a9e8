package sluice.encode;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/** A format whose messages are rows, one after another. */
public abstract class RowEncoder implements Encoder {
    public final ValueWriter[] columns;
    protected final String[] names;

    public RowEncoder(String columns, Settings settings) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        ValueWriters writers = new ValueWriters(settings);
        this.columns = given.stream().map(each -> writers.of(each.type())).toArray(ValueWriter[]::new);
        this.names = given.stream().map(TypeSpec.Column::name).toArray(String[]::new);
    }

    /** Write what comes before the rows. */
    protected void begin(Output out) {}

    /** Write a row, and what comes after it. */
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
