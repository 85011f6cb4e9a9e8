package sluice.text;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.encode.RowEncoder;
import sluice.values.Escapes;
import sluice.values.NestedWriters;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.ValueWriter;

/** Rows as lines of fields, perhaps with a line of names before them. */
public abstract class SeparatedEncoder extends RowEncoder {
    private final byte[] header;
    private final byte[] nothing;
    private final byte[] end;
    private final byte[] between;

    /** {@code header} may be null. */
    SeparatedEncoder(List<ValueWriter> columns, byte[] header, byte[] between, String nothing, boolean returns) {
        super(columns);
        this.header = header;
        this.between = between;
        this.nothing = nothing.getBytes(StandardCharsets.UTF_8);
        this.end = returns ? new byte[] {'\r', '\n'} : new byte[] {'\n'};
    }

    /** Write a field that is not NULL. */
    abstract void field(ValueWriter column, SpecializedGetters row, int at, Output out);

    final void fieldOrNull(ValueWriter column, SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) out.put(nothing);
        else field(column, row, at, out);
    }

    @Override
    protected final void begin(Output out) {
        if (header == null) return;
        out.put(header);
        out.put(end);
    }

    @Override
    protected final void row(InternalRow row, boolean last, Output out) {
        fields(columns, row, out);
        out.put(end);
    }

    final void fields(ValueWriter[] writers, InternalRow row, Output out) {
        for (int k = 0; k < writers.length; k++) {
            if (k > 0) out.put(between);
            fieldOrNull(writers[k], row, k, out);
        }
    }

    /** The names of the columns, escaped, in quotes or not. */
    static byte[] header(List<String> names, byte[] between, Escapes escapes, String quote) {
        Output out = new Output();
        for (int i = 0; i < names.size(); i++) {
            if (i > 0) out.put(between);
            out.put(quote);
            int first = out.size;
            out.put(names.get(i).getBytes(StandardCharsets.UTF_8));
            escapes.from(out, first);
            out.put(quote);
        }
        return out.message();
    }

    /** Fields with commas between them. */
    public static final class Csv extends SeparatedEncoder {
        private final boolean flatTuples;

        public Csv(List<ValueWriter> columns, List<String> names, Settings settings, boolean header) {
            super(columns,
                header ? header(names, delimiter(settings), Escapes.CSV, "\"") : null,
                delimiter(settings),
                settings.text("format_csv_null_representation"),
                settings.flag("output_format_csv_crlf_end_of_line"));
            flatTuples = settings.flag("output_format_csv_serialize_tuple_into_separate_columns");
        }

        private static byte[] delimiter(Settings settings) {
            return settings.text("format_csv_delimiter").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        void field(ValueWriter column, SpecializedGetters row, int at, Output out) {
            if (flatTuples && column instanceof NestedWriters.Parts) {
                ValueWriter[] parts = ((NestedWriters.Parts) column).parts;
                fields(parts, row.getStruct(at, parts.length), out);
            } else {
                column.csv(row, at, out);
            }
        }
    }

    /** Fields with tabs between them. */
    public static final class Tabs extends SeparatedEncoder {
        private static final byte[] TAB = {'\t'};
        private final boolean raw;

        /** {@code raw}: nothing is escaped. */
        public Tabs(List<ValueWriter> columns, List<String> names, Settings settings, boolean header, boolean raw) {
            super(columns,
                header ? header(names, TAB, Escapes.TAB, "") : null,
                TAB,
                settings.text("format_tsv_null_representation"),
                settings.flag("output_format_tsv_crlf_end_of_line"));
            this.raw = raw;
        }

        @Override
        void field(ValueWriter column, SpecializedGetters row, int at, Output out) {
            if (raw) column.plain(row, at, out);
            else column.escaped(row, at, out);
        }
    }
}
