package sluice.text;

import java.util.Arrays;
import sluice.decode.Header;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.values.Settings;
import sluice.values.ValueReader;

/** Lines of fields, perhaps with a line of names before them. */
abstract class SeparatedDecoder extends RowDecoder<FieldCursor> implements Header.Line<FieldCursor> {
    private final Header header;
    private final int skipLines;
    private final boolean skipEmptyLines;
    private final boolean anyNumber;
    private final byte[] nothing;

    /** {@code family} is the word for it in the names of settings. */
    SeparatedDecoder(String columns, Settings settings, String family) {
        super(columns, settings, "input_format_" + family + "_enum_as_number");
        header = new Header(table, settings);
        skipLines = settings.number("input_format_" + family + "_skip_first_lines");
        skipEmptyLines = settings.flag("input_format_" + family + "_skip_trailing_empty_lines");
        anyNumber = settings.flag("input_format_" + family + "_allow_variable_number_of_columns");
        nothing = settings.bytes("format_" + family + "_null_representation");
    }

    /** Read the value of a column. */
    abstract Object value(FieldCursor in, ValueReader value);

    /** Read a field as a text. */
    abstract void field(FieldCursor in);

    /** Consume what is between fields, if it comes next. */
    abstract boolean between(FieldCursor in);

    /** What that is, for errors. */
    abstract String delimiter();

    /** Whether the line ends here. */
    abstract boolean ends(FieldCursor in);

    /** Consume the line's end. */
    abstract void end(FieldCursor in);

    /** Whether a field that is nothing comes next; it is consumed. */
    final boolean isNull(FieldCursor in) {
        int to = in.at + nothing.length;
        if (to > in.end || !Arrays.equals(nothing, 0, nothing.length, in.bytes, in.at, to)) return false;
        int first = in.at;
        in.at = to;
        if (ends(in)) return true;
        int after = in.at;
        if (between(in)) {
            in.at = after;
            return true;
        }
        in.at = first;
        return false;
    }

    @Override
    protected final FieldCursor open(byte[] message) {
        return new FieldCursor(message);
    }

    @Override
    protected final boolean begin(FieldCursor in) {
        in.skipMark();
        for (int i = 0; i < skipLines; i++) in.skipLine();
        in.order = header.inOrder();
        boolean needed = header.typed() || headerNeeded();
        if (header.present() && (in.at < in.end || needed)) header(in);
        return true;
    }

    /** Whether an empty message is wrong because its header is missing. */
    abstract boolean headerNeeded();

    private void header(FieldCursor in) {
        int first = in.at;
        in.order = header.read(in, this);
        for (int column : in.order) {
            if (column != Header.SKIPPED) return;
        }
        throw new BadValue("Cannot parse input: no column is named in the header: '"
            + BadValue.shown(in.bytes, first, in.at) + "'");
    }

    @Override
    public final boolean field(FieldCursor in, int count) {
        if (count > 0 && !between(in)) {
            if (!ends(in)) throw in.expected(delimiter());
            end(in);
            return false;
        }
        if (in.at == in.end) throw in.expected("a line with the names of columns");
        field(in);
        return true;
    }

    @Override
    protected final boolean more(FieldCursor in, boolean first) {
        if (skipEmptyLines && !first) {
            int i = in.at;
            while (i < in.end && (in.bytes[i] == '\n' || in.bytes[i] == '\r')) i++;
            if (i == in.end) return false;
        }
        return in.at < in.end;
    }

    @Override
    protected final Object[] row(FieldCursor in) {
        Object[] row = table.row();
        int[] order = in.order;
        for (int i = 0; i < order.length; i++) {
            if (i > 0 && !between(in)) {
                if (anyNumber && ends(in)) break;
                throw in.expected(delimiter());
            }
            int column = order[i];
            if (column == Header.SKIPPED) {
                field(in);
                continue;
            }
            try {
                row[column + 1] = value(in, table.values[column]);
            } catch (BadValue bad) {
                throw table.wrong(bad, column, "column");
            }
        }
        while (anyNumber && !ends(in) && between(in)) field(in);
        end(in);
        return table.filled(row);
    }
}
