package sluice.text;

import sluice.decode.Header;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.values.Settings;

/** Rows with delimiters of the user's own before, between and after them and their fields. */
public final class CustomSeparatedDecoder extends RowDecoder<FieldCursor> implements Header.Line<FieldCursor> {
    private final Header header;
    private final FieldRule rule;
    private final boolean ignoreSpaces;
    private final boolean skipEmptyLines;
    private final byte[] beforeAll;
    private final byte[] afterAll;
    private final byte[] before;
    private final byte[] after;
    private final byte[] betweenRows;
    private final byte[] betweenFields;

    public CustomSeparatedDecoder(String columns, Settings settings) {
        super(columns, settings, FieldRule.enums(settings.text("format_custom_escaping_rule")));
        header = new Header(table, settings);
        rule = FieldRule.of(settings.text("format_custom_escaping_rule"), settings);
        ignoreSpaces = settings.fixed("ignore_spaces");
        skipEmptyLines = settings.flag("input_format_custom_skip_trailing_empty_lines");
        beforeAll = settings.bytes("format_custom_result_before_delimiter");
        afterAll = settings.bytes("format_custom_result_after_delimiter");
        before = settings.bytes("format_custom_row_before_delimiter");
        after = settings.bytes("format_custom_row_after_delimiter");
        betweenRows = settings.bytes("format_custom_row_between_delimiter");
        betweenFields = settings.bytes("format_custom_field_delimiter");
    }

    @Override
    protected FieldCursor open(byte[] message) {
        return new FieldCursor(message);
    }

    @Override
    protected boolean begin(FieldCursor in) {
        FieldRule.begin(in);
        in.order = header.inOrder();
        take(in, beforeAll);
        if (!header.present()) return true;
        in.order = header.read(in, this);
        for (int column : in.order) {
            if (column != Header.SKIPPED) return true;
        }
        throw new BadValue("Cannot parse input: no column is named in the header");
    }

    /** The names and the types are a row each. */
    @Override
    public boolean field(FieldCursor in, int count) {
        if (count == 0) {
            start(in);
        } else if (ends(in)) {
            take(in, after);
            return false;
        } else {
            take(in, betweenFields);
        }
        spaces(in);
        rule.text(in, betweenFields, after);
        return true;
    }

    private boolean ends(FieldCursor in) {
        spaces(in);
        return FieldRule.follows(in, after);
    }

    @Override
    protected boolean more(FieldCursor in, boolean first) {
        int at = in.at;
        if (suffix(in)) return false;
        in.at = at;
        return true;
    }

    private void start(FieldCursor in) {
        if (in.rows++ > 0) take(in, betweenRows);
        take(in, before);
    }

    /** Whether what follows the last row comes next, and nothing after it. */
    private boolean suffix(FieldCursor in) {
        spaces(in);
        if (!FieldRule.took(in, afterAll)) return false;
        if (afterAll.length > 0) spaces(in);
        in.is('\n');
        while (skipEmptyLines && (in.is('\n') || in.is('\r'))) { }
        return in.at == in.end;
    }

    @Override
    protected Object[] row(FieldCursor in) {
        Object[] row = table.row();
        int[] order = in.order;
        start(in);
        for (int i = 0; i < order.length; i++) {
            if (i > 0) take(in, betweenFields);
            spaces(in);
            byte[] stop = i + 1 == order.length ? after : betweenFields;
            int column = order[i];
            if (column == Header.SKIPPED) {
                rule.skip(in, stop);
                continue;
            }
            try {
                row[column + 1] = rule.value(in, table.values[column], stop);
            } catch (BadValue bad) {
                throw table.wrong(bad, column, "column");
            }
        }
        take(in, after);
        return table.filled(row);
    }

    private void take(FieldCursor in, byte[] delimiter) {
        spaces(in);
        FieldRule.take(in, delimiter);
    }

    /** Blanks, but no line feeds. */
    private void spaces(FieldCursor in) {
        while (ignoreSpaces && in.at < in.end && (in.bytes[in.at] == ' ' || in.bytes[in.at] == '\t')) in.at++;
    }
}
