package sluice.text;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Escapes;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.ValueWriter;

/** Rows as lines of {@code name=value} with tabs between them. */
public final class TskvEncoder extends RowEncoder {
    private final byte[][] keys;
    private final byte[] nothing;

    public TskvEncoder(List<ValueWriter> columns, List<String> names, Settings settings) {
        super(columns);
        keys = new byte[names.size()][];
        for (int i = 0; i < keys.length; i++) {
            Output out = new Output();
            out.put(names.get(i).getBytes(StandardCharsets.UTF_8));
            Escapes.KEY.from(out, 0);
            out.put('=');
            keys[i] = out.message();
        }
        nothing = settings.text("format_tsv_null_representation").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        for (int k = 0; k < columns.length; k++) {
            if (k > 0) out.put('\t');
            out.put(keys[k]);
            if (row.isNullAt(k)) out.put(nothing);
            else columns[k].escaped(row, k, out);
        }
        out.put('\n');
    }
}
