package sluice.json;

import sluice.decode.Header;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.JsonRules;
import sluice.values.Settings;

/** JSON lists, each with the values of a row: in the table's order, or in that of a header. */
public class JsonCompactEachRowDecoder extends RowDecoder<JsonCursor> implements Header.Line<JsonCursor> {
    private final boolean anyNumber;
    private final Header header;
    private final JsonRules rules;

    public JsonCompactEachRowDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        anyNumber = settings.flag("input_format_json_compact_allow_variable_number_of_columns");
        header = new Header(table, settings);
        rules = JsonObjectsDecoder.rules(settings);
    }

    @Override
    protected final JsonCursor open(byte[] message) {
        return new JsonCursor(message, rules);
    }

    @Override
    protected boolean begin(JsonCursor in) {
        in.skipMark();
        if (!header.present()) {
            in.order = header.inOrder();
            return in.peek() >= 0;
        }
        in.order = header.read(in, this);
        return true;
    }

    @Override
    public final boolean field(JsonCursor in, int count) {
        if (count == 0) in.take('[');
        if (count > 0 ? !in.another(']') : in.took(']')) return false;
        if (in.peek() != '"') throw in.expected("a string in quotes");
        in.next();
        return true;
    }

    @Override
    protected boolean more(JsonCursor in, boolean first) {
        return in.more(first);
    }

    @Override
    protected final Object[] row(JsonCursor in) {
        Object[] row = table.row();
        in.take('[');
        int[] order = in.order;
        for (int i = 0; i < order.length; i++) {
            if (anyNumber && in.peek() == ']') break;
            if (i > 0) in.take(',');
            int column = order[i];
            if (column == Header.SKIPPED) {
                in.skip();
                continue;
            }
            try {
                row[column + 1] = table.values[column].json(in);
            } catch (BadValue bad) {
                throw table.wrong(bad, column, "key");
            }
        }
        while (anyNumber && in.took(',')) in.skip();
        in.take(']');
        return table.filled(row);
    }
}
