package sluice;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Rows as lines of fields, perhaps with a line of names before them. */
abstract class ToSeparated extends RowEncoder {
    private final byte[] header;
    private final byte[] nothing;
    private final byte[] end;
    private final byte[] between;

    /** {@code header} may be null. */
    ToSeparated(List<Writer> columns, byte[] header, byte[] between, String nothing, boolean returns) {
        super(columns);
        this.header = header;
        this.between = between;
        this.nothing = nothing.getBytes(StandardCharsets.UTF_8);
        this.end = returns ? new byte[] {'\r', '\n'} : new byte[] {'\n'};
    }

    /** Write a field that is not NULL. */
    abstract void field(Writer column, SpecializedGetters row, int at, Out out);

    final void fieldOrNull(Writer column, SpecializedGetters row, int at, Out out) {
        if (row.isNullAt(at)) out.put(nothing);
        else field(column, row, at, out);
    }

    @Override
    final void begin(Out out) {
        if (header == null) return;
        out.put(header);
        out.put(end);
    }

    @Override
    final void row(InternalRow row, boolean last, Out out) {
        fields(columns, row, out);
        out.put(end);
    }

    final void fields(Writer[] writers, InternalRow row, Out out) {
        for (int k = 0; k < writers.length; k++) {
            if (k > 0) out.put(between);
            fieldOrNull(writers[k], row, k, out);
        }
    }

    /** The names of the columns, escaped, in quotes or not. */
    static byte[] header(List<String> names, byte[] between, Escapes escapes, String quote) {
        Out out = new Out();
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
    static final class Csv extends ToSeparated {
        private final boolean flatTuples;

        Csv(List<Writer> columns, List<String> names, Settings settings, boolean header) {
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
        void field(Writer column, SpecializedGetters row, int at, Out out) {
            if (flatTuples && column instanceof WriteNested.Parts) {
                Writer[] parts = ((WriteNested.Parts) column).parts;
                fields(parts, row.getStruct(at, parts.length), out);
            } else {
                column.csv(row, at, out);
            }
        }
    }

    /** Fields with tabs between them. */
    static final class Tabs extends ToSeparated {
        private static final byte[] TAB = {'\t'};
        private final boolean raw;

        /** {@code raw}: nothing is escaped. */
        Tabs(List<Writer> columns, List<String> names, Settings settings, boolean header, boolean raw) {
            super(columns,
                header ? header(names, TAB, Escapes.TAB, "") : null,
                TAB,
                settings.text("format_tsv_null_representation"),
                settings.flag("output_format_tsv_crlf_end_of_line"));
            this.raw = raw;
        }

        @Override
        void field(Writer column, SpecializedGetters row, int at, Out out) {
            if (raw) column.plain(row, at, out);
            else column.escaped(row, at, out);
        }
    }
}
