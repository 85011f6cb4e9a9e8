package sluice.json;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Escapes;
import sluice.values.NestedWriters;
import sluice.values.Output;
import sluice.values.Settings;

/** Rows as JSON objects, one in each line, or as one list of them. */
public final class JsonEncoder extends RowEncoder {
    private final byte[][] keys;
    private final boolean list;

    public JsonEncoder(String columns, Settings settings) {
        super(columns, settings);
        this.keys = NestedWriters.Parts.keys(List.of(names), Escapes.json(settings));
        this.list = settings.flag("output_format_json_array_of_rows");
    }

    @Override
    protected void begin(Output out) {
        if (list) out.put("[\n");
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        out.put('{');
        for (int k = 0; k < columns.length; k++) {
            if (k > 0) out.put(',');
            out.put(keys[k]);
            columns[k].jsonOrNull(row, k, out);
        }
        out.put(!list ? "}\n" : last ? "}\n]\n" : "},\n");
    }

    /** Rows as JSON lists, one in each line. */
    public static final class Compact extends RowEncoder {
        public Compact(String columns, Settings settings) {
            super(columns, settings);
        }

        @Override
        protected void row(InternalRow row, boolean last, Output out) {
            for (int k = 0; k < columns.length; k++) {
                out.put(k > 0 ? ", " : "[");
                columns[k].jsonOrNull(row, k, out);
            }
            out.put("]\n");
        }
    }
}
