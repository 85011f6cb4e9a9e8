package sluice.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.encode.RowEncoder;
import sluice.values.Escapes;
import sluice.values.NestedWriters;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;

/** Rows as lines of fields, perhaps with lines of names and types before them. */
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
        this.nothing = settings.bytes("format_" + family + "_null_representation");
        boolean returns = settings.flag("output_format_" + family + "_crlf_end_of_line");
        this.end = returns ? new byte[] {'\r', '\n'} : new byte[] {'\n'};
        header = header(settings, escapes, quote);
    }

    /** Write a field that is not NULL. */
    abstract void field(ValueWriter column, SpecializedGetters row, int at, Output out);

    final void fieldOrNull(ValueWriter column, SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) out.put(nothing);
        else field(column, row, at, out);
    }

    @Override
    protected final void begin(Output out) {
        out.put(header);
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

    private byte[] header(Settings settings, Escapes escapes, String quote) {
        List<TypeSpec.Column> headings = new ArrayList<>();
        boolean flat = "\"".equals(quote) && settings.flag("output_format_csv_serialize_tuple_into_separate_columns")
            && settings.flag("output_format_csv_header_serialize_tuple_into_separate_columns");
        for (int i = 0; i < names.length; i++) headings(names[i], types[i], flat, headings);
        Output header = new Output();
        boolean typed = settings.fixed("with_types");
        if (typed || settings.fixed("with_names")) {
            line(headings.stream().map(TypeSpec.Column::name).toList(), escapes, quote, header);
        }
        if (typed) line(headings.stream().map(each -> each.type().declared()).toList(), escapes, quote, header);
        return header.message();
    }

    /** A column's fields: one, or if it is {@code flat} one for each element of a tuple. */
    private static void headings(String name, TypeSpec type, boolean flat, List<TypeSpec.Column> found) {
        if (!flat || !type.kind().equals("parts")) {
            found.add(new TypeSpec.Column(name, type, false));
            return;
        }
        int number = 1;
        for (TypeSpec.Column field : type.fields()) {
            String inner = type.isNamed() ? field.name() : Integer.toString(number++);
            headings(name + "." + inner, field.type(), true, found);
        }
    }

    /** A line of the header, escaped, in quotes or not. */
    private void line(List<String> texts, Escapes escapes, String quote, Output header) {
        for (int i = 0; i < texts.size(); i++) {
            if (i > 0) header.put(between);
            header.put(quote);
            int first = header.size;
            header.put(texts.get(i).getBytes(StandardCharsets.UTF_8));
            if (escapes != null) escapes.from(header, first);
            header.put(quote);
        }
        header.put(end);
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
            if (flatTuples && column instanceof NestedWriters.StructValue) {
                ValueWriter[] parts = ((NestedWriters.StructValue) column).parts;
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
            super(columns, settings, "tsv", "\t", settings.fixed("raw") ? null : Escapes.TAB, "");
            raw = settings.fixed("raw");
        }

        @Override
        void field(ValueWriter column, SpecializedGetters row, int at, Output out) {
            if (raw) column.plain(row, at, out);
            else column.escaped(row, at, out);
        }
    }
}
