package sluice;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** Rows as JSON objects, one in each line, or as one list of them. */
public final class ToJson implements Encoder {
    private final Writer[] columns;
    private final byte[][] keys;
    private final boolean list;

    ToJson(List<Writer> columns, List<String> names, Settings settings) {
        this.columns = columns.toArray(new Writer[0]);
        this.keys = WriteNested.Parts.keys(names, Escapes.json(settings));
        this.list = settings.flag("output_format_json_array_of_rows");
    }

    @Override
    public byte[] encode(ArrayData rows) {
        Out out = new Out();
        if (list) out.put("[\n");
        for (int i = 0; i < rows.numElements(); i++) {
            if (i > 0) out.put(list ? ",\n" : "\n");
            InternalRow row = rows.getStruct(i, columns.length);
            out.put('{');
            for (int k = 0; k < columns.length; k++) {
                if (k > 0) out.put(',');
                out.put(keys[k]);
                columns[k].jsonOrNull(row, k, out);
            }
            out.put('}');
        }
        out.put(list ? "\n]\n" : "\n");
        return out.message();
    }

    /** Rows as JSON lists, one in each line. */
    static final class Compact implements Encoder {
        private final Writer[] columns;

        Compact(List<Writer> columns) {
            this.columns = columns.toArray(new Writer[0]);
        }

        @Override
        public byte[] encode(ArrayData rows) {
            Out out = new Out();
            for (int i = 0; i < rows.numElements(); i++) {
                InternalRow row = rows.getStruct(i, columns.length);
                for (int k = 0; k < columns.length; k++) {
                    out.put(k > 0 ? ", " : "[");
                    columns[k].jsonOrNull(row, k, out);
                }
                out.put("]\n");
            }
            return out.message();
        }
    }
}
