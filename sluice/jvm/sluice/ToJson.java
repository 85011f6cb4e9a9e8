package sluice;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/** Rows as JSON objects, one in each line, or as one list of them. */
final class ToJson extends RowEncoder {
    private final byte[][] keys;
    private final boolean list;

    ToJson(List<Writer> columns, List<String> names, Settings settings) {
        super(columns);
        this.keys = WriteNested.Parts.keys(names, Escapes.json(settings));
        this.list = settings.flag("output_format_json_array_of_rows");
    }

    @Override
    void begin(Out out) {
        if (list) out.put("[\n");
    }

    @Override
    void row(InternalRow row, boolean last, Out out) {
        out.put('{');
        for (int k = 0; k < columns.length; k++) {
            if (k > 0) out.put(',');
            out.put(keys[k]);
            columns[k].jsonOrNull(row, k, out);
        }
        out.put(!list ? "}\n" : last ? "}\n]\n" : "},\n");
    }

    /** Rows as JSON lists, one in each line. */
    static final class Compact extends RowEncoder {
        Compact(List<Writer> columns) {
            super(columns);
        }

        @Override
        void row(InternalRow row, boolean last, Out out) {
            for (int k = 0; k < columns.length; k++) {
                out.put(k > 0 ? ", " : "[");
                columns[k].jsonOrNull(row, k, out);
            }
            out.put("]\n");
        }
    }
}
