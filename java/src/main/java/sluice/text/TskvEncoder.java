package sluice.text;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Escapes;
import sluice.values.Output;
import sluice.values.Settings;

/** Rows as lines of {@code name=value} with tabs between them. */
public final class TskvEncoder extends RowEncoder {
    private final byte[][] keys;
    private final byte[] nothing;

    public TskvEncoder(String columns, Settings settings) {
        super(columns, settings);
        keys = new byte[names.length][];
        for (int i = 0; i < keys.length; i++) {
            Output out = new Output();
            out.put(names[i].getBytes(StandardCharsets.UTF_8));
            Escapes.KEY.from(out, 0);
            out.put('=');
            keys[i] = out.message();
        }
        nothing = settings.bytes("format_tsv_null_representation");
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
