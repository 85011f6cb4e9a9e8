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
    protected final transient TypeSpec[] types; // for the constructors: executors get none

    public RowEncoder(String columns, Settings settings) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        ValueWriters writers = new ValueWriters(settings);
        this.columns = given.stream().map(each -> writers.column(each.type())).toArray(ValueWriter[]::new);
        this.names = given.stream().map(TypeSpec.Column::name).toArray(String[]::new);
        this.types = given.stream().map(TypeSpec.Column::type).toArray(TypeSpec[]::new);
    }

    /** Write what comes before the rows. */
    protected void begin(Output out) {}

    /** Write a row, and what comes after it. */
    protected abstract void row(InternalRow row, boolean last, Output out);

    /** The same, for a format that numbers rows, from 1 on. */
    protected void row(InternalRow row, int number, boolean last, Output out) {
        row(row, last, out);
    }

    /** Write what comes after the rows. */
    protected void end(Output out) {}

    @Override
    public final byte[] encode(ArrayData rows) {
        Output out = new Output();
        begin(out);
        int count = rows.numElements();
        for (int i = 0; i < count; i++) row(rows.getStruct(i, columns.length), i + 1, i == count - 1, out);
        end(out);
        return out.message();
    }
}
