package sluice.text;

import java.nio.charset.StandardCharsets;
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

    /** {@code family} is the word for it in the names of settings. */
    SeparatedEncoder(
        String columns, Settings settings, String family, String between, Escapes escapes, String quote) {
        super(columns, settings);
        this.between = between.getBytes(StandardCharsets.UTF_8);
        this.header = settings.fixed("with_names") ? header(escapes, quote) : null;
        this.nothing = settings.bytes("format_" + family + "_null_representation");
        boolean returns = settings.flag("output_format_" + family + "_crlf_end_of_line");
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
    private byte[] header(Escapes escapes, String quote) {
        Output out = new Output();
        for (int i = 0; i < names.length; i++) {
            if (i > 0) out.put(between);
            out.put(quote);
            int first = out.size;
            out.put(names[i].getBytes(StandardCharsets.UTF_8));
            escapes.from(out, first);
            out.put(quote);
        }
        return out.message();
    }

    /** Fields with commas between them. */
    public static final class Csv extends SeparatedEncoder {
        private final boolean flatTuples;

        public Csv(String columns, Settings settings) {
            super(columns, settings, "csv", settings.text("format_csv_delimiter"), Escapes.CSV, "\"");
            flatTuples = settings.flag("output_format_csv_serialize_tuple_into_separate_columns");
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
        private final boolean raw; // nothing is escaped

        public Tabs(String columns, Settings settings) {
            super(columns, settings, "tsv", "\t", Escapes.TAB, "");
            raw = settings.fixed("raw");
        }

        @Override
        void field(ValueWriter column, SpecializedGetters row, int at, Output out) {
            if (raw) column.plain(row, at, out);
            else column.escaped(row, at, out);
        }
    }
}
