package sluice.binary;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.encode.Encoder;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows as a block in ClickHouse's Native format, or in its format Buffers. */
public final class NativeEncoder implements Encoder {
    private final NativeColumn[] columns;
    private final byte[][] headings; // name and type of each column
    private final boolean buffers;

    public NativeEncoder(String columns, Settings settings) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        boolean inBytes = settings.flag("output_format_native_encode_types_in_binary_format");
        NativeColumns made = new NativeColumns(new BinaryValues(settings, true));
        this.columns = new NativeColumn[given.size()];
        headings = new byte[given.size()][];
        buffers = settings.fixed("buffers");
        for (int i = 0; i < headings.length; i++) {
            TypeTree type = TypeParser.parse(given.get(i).type().declared());
            this.columns[i] = made.of(TypeSpecs.of(type));
            Output out = new Output();
            TypeBytes.text(given.get(i).name(), out);
            if (inBytes) TypeBytes.write(type, out);
            else TypeBytes.text(given.get(i).type().declared(), out);
            headings[i] = out.message();
        }
    }

    @Override
    public byte[] encode(ArrayData rows) {
        InternalRow[] given = new InternalRow[rows.numElements()];
        for (int i = 0; i < given.length; i++) given[i] = rows.getStruct(i, columns.length);
        return buffers ? buffers(given) : block(given);
    }

    private byte[] block(InternalRow[] rows) {
        Output out = new Output();
        out.putVarint(columns.length);
        out.putVarint(rows.length);
        for (int i = 0; i < columns.length; i++) {
            out.put(headings[i]);
            column(rows, i, out);
        }
        return out.message();
    }

    private byte[] buffers(InternalRow[] rows) {
        Output out = new Output();
        out.putLowLong(columns.length);
        out.putLowLong(rows.length);
        for (int i = 0; i < columns.length; i++) {
            Output column = new Output();
            column(rows, i, column);
            out.putLowLong(column.size);
            out.put(column.bytes, 0, column.size);
        }
        return out.message();
    }

    private void column(InternalRow[] rows, int column, Output out) {
        if (rows.length == 0) return;
        columns[column].begin(out);
        columns[column].write(Cells.of(rows, column), out);
    }
}
