package sluice.json;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.encode.RowEncoder;
import sluice.values.Escapes;
import sluice.values.NestedWriters;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows as JSON objects, one in each line, or as one list of them. */
public class JsonEncoder extends RowEncoder {
    private static final String VALID = "output_format_json_validate_utf8";

    private final byte[][] keys;
    private final boolean list;
    private final boolean valid;

    public JsonEncoder(String columns, Settings settings) {
        super(columns, settings);
        this.keys = NestedWriters.StructValue.keys(List.of(names), Escapes.json(settings));
        this.list = settings.flag("output_format_json_array_of_rows");
        this.valid = settings.flag(VALID);
    }

    @Override
    protected final void end(Output out) {
        if (valid) out.repair();
    }

    @Override
    protected void begin(Output out) {
        if (list) out.put("[\n");
    }

    @Override
    protected void row(InternalRow row, boolean last, Output out) {
        object(row, -1, out);
        out.put(!list ? "\n" : last ? "\n]\n" : ",\n");
    }

    /** Write a row as an object, without the column at a position. */
    final void object(InternalRow row, int without, Output out) {
        out.put('{');
        boolean first = true;
        for (int k = 0; k < columns.length; k++) {
            if (k == without) continue;
            if (!first) out.put(',');
            first = false;
            out.put(keys[k]);
            columns[k].jsonOrNull(row, k, out);
        }
        out.put('}');
    }

    /** Rows as the values of one object, under their numbers or under the values of a column. */
    public static final class Named extends JsonEncoder {
        private final int named;

        public Named(String columns, Settings settings) {
            super(columns, settings);
            named = List.of(names).indexOf(settings.text(JsonObjectEachRowDecoder.NAME));
        }

        @Override
        protected void begin(Output out) {
            out.put("{\n");
        }

        @Override
        protected void row(InternalRow row, int number, boolean last, Output out) {
            out.put('\t');
            if (named < 0) {
                out.put("\"row_");
                out.put((long) number);
                out.put('"');
            } else {
                columns[named].key(row, named, out);
            }
            out.put(": ");
            object(row, named, out);
            out.put(last ? "\n}\n" : ",\n");
        }
    }

    /** Rows as JSON lists, one in each line, perhaps with lists of names and types before them. */
    public static final class Compact extends RowEncoder {
        private final byte[] header;
        private final boolean valid;

        public Compact(String columns, Settings settings) {
            super(columns, settings);
            valid = settings.flag(VALID);
            Output out = new Output();
            boolean typed = settings.fixed("with_types");
            if (typed || settings.fixed("with_names")) line(List.of(names), settings, out);
            if (typed) line(Stream.of(types).map(TypeSpec::declared).toList(), settings, out);
            header = out.message();
        }

        private static void line(List<String> texts, Settings settings, Output out) {
            for (int i = 0; i < texts.size(); i++) {
                out.put(i > 0 ? ", " : "[");
                int first = out.open('"');
                out.put(texts.get(i).getBytes(StandardCharsets.UTF_8));
                out.close(first, Escapes.json(settings), '"');
            }
            out.put("]\n");
        }

        @Override
        protected void begin(Output out) {
            out.put(header);
        }

        @Override
        protected void end(Output out) {
            if (valid) out.repair();
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
