package sluice.binary;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows in ClickHouse's RowBinary, perhaps after a header with the names of columns and their types. */
public final class RowBinaryEncoder extends RowEncoder {
    private final BinaryValue[] values;
    private final byte[] header;

    public RowBinaryEncoder(String columns, Settings settings) {
        super(columns, settings);
        BinaryValues made = new BinaryValues(settings, settings.flag("output_format_binary_write_json_as_string"));
        values = Arrays.stream(types).map(made::of).toArray(BinaryValue[]::new);
        header = header(settings);
    }

    private byte[] header(Settings settings) {
        boolean typed = settings.fixed("with_types");
        boolean inBytes = settings.flag("output_format_binary_encode_types_in_binary_format");
        Output out = new Output();
        if (!typed && !settings.fixed("with_names")) return out.message();
        out.putVarint(names.length);
        for (String name : names) TypeBytes.text(name, out);
        if (!typed) return out.message();
        for (TypeSpec type : types) {
            if (inBytes) TypeBytes.write(TypeParser.parse(type.declared()), out);
            else TypeBytes.text(type.declared(), out);
        }
        return out.message();
    }

    @Override
    protected void begin(Output out) {
        out.put(header);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        for (int i = 0; i < values.length; i++) values[i].put(row, i, out);
    }
}
