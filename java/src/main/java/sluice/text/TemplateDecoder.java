package sluice.text;

import sluice.decode.Header;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.values.Settings;
import sluice.values.TextReaders;
import sluice.values.ValueReader;

/** Rows as a template has them, within a template of the whole message that has one field, the rows. */
public final class TemplateDecoder extends RowDecoder<FieldCursor> {
    private static final byte[] NOTHING = {};

    private final FieldRule[] rules; // null: no field
    private final int[] columns;
    private final byte[][] texts;
    private final byte[][][] stops; // what ends each field
    private final byte[] beforeAll;
    private final byte[] afterAll;
    private final byte[] betweenRows;
    private final boolean ignoreSpaces;
    private final boolean[] open; // whether a field is one of CSV without a delimiter, where NULL is no word

    public TemplateDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        Template row = Template.of(settings.text("format_template_row_format"));
        Template all = Template.of(settings.text("format_template_resultset_format"));
        ignoreSpaces = settings.fixed("ignore_spaces");
        beforeAll = all.texts()[0];
        afterAll = all.texts().length == 1 ? NOTHING : all.texts()[1];
        betweenRows = settings.bytes("format_template_rows_between_delimiter");
        texts = row.texts();
        rules = new FieldRule[row.fields().size()];
        this.columns = new int[rules.length];
        for (int i = 0; i < rules.length; i++) {
            Template.Field field = row.fields().get(i);
            rules[i] = field.rule().isEmpty() ? null : FieldRule.of(field.rule(), settings);
            this.columns[i] = field.name().isEmpty() ? Header.SKIPPED : table.names.indexOf(field.name());
        }
        stops = new byte[rules.length][][];
        open = new boolean[rules.length];
        for (int i = 0; i < rules.length; i++) {
            int end = i + 1;
            while (end < rules.length && rules[end] == null && texts[end].length == 0) end++;
            stops[i] = texts[end].length == 0 ? afterRow() : new byte[][] {texts[end]};
            open[i] = rules[i] instanceof CsvRule && texts[i + 1].length == 0;
            if (open[i]) rules[i] = new CsvRule(NOTHING);
        }
    }

    /** What ends the last field of a row without a delimiter. */
    private byte[][] afterRow() {
        if (betweenRows.length == 0) return afterAll.length == 0 ? new byte[0][] : new byte[][] {afterAll};
        return afterAll.length == 0 ? new byte[][] {betweenRows} : new byte[][] {betweenRows, afterAll};
    }

    @Override
    protected FieldCursor open(byte[] message) {
        return new FieldCursor(message);
    }

    @Override
    protected boolean begin(FieldCursor in) {
        FieldRule.begin(in);
        take(in, beforeAll);
        return true;
    }

    @Override
    protected boolean more(FieldCursor in, boolean first) {
        int at = in.at;
        spaces(in);
        if (FieldRule.took(in, afterAll)) {
            spaces(in);
            if (in.at == in.end) return false;
        }
        in.at = at;
        return true;
    }

    @Override
    protected Object[] row(FieldCursor in) {
        Object[] row = table.row();
        if (in.rows++ > 0) take(in, betweenRows);
        for (int i = 0; i < rules.length; i++) {
            take(in, texts[i]);
            spaces(in);
            if (rules[i] != null) field(in, i, row);
        }
        take(in, texts[rules.length]);
        return table.filled(row);
    }

    private void field(FieldCursor in, int i, Object[] row) {
        if (columns[i] == Header.SKIPPED) {
            rules[i].skip(in, stops[i]);
            return;
        }
        ValueReader value = table.values[columns[i]];
        boolean text = value instanceof TextReaders.Plain || value instanceof TextReaders.Fixed;
        boolean bare = open[i] && !quoted(in);
        int from = in.at;
        try {
            row[columns[i] + 1] = rules[i].value(in, value, stops[i]);
        } catch (BadValue bad) {
            throw table.wrong(bad, columns[i], "column");
        }
        if (bare && (text || !number(in, from))) throw in.expected("a field in quotes");
    }

    private static boolean quoted(FieldCursor in) {
        return in.at < in.end && in.bytes[in.at] == '"';
    }

    /** Whether what was read from a place on has digits, and nothing beside them that ends a number. */
    private static boolean number(FieldCursor in, int from) {
        for (int i = from; i < in.at; i++) {
            if ("0123456789-.".indexOf(in.bytes[i]) < 0) return false;
        }
        return from < in.at;
    }

    private void take(FieldCursor in, byte[] text) {
        spaces(in);
        FieldRule.take(in, text);
    }

    private void spaces(FieldCursor in) {
        if (ignoreSpaces) in.peek();
    }
}
