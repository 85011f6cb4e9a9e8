package sluice.json;

import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Settings;

/** JSON lists, each with the values of a row in the table's order. */
public final class JsonCompactEachRowDecoder extends RowDecoder<JsonCursor> {
    private final boolean anyNumber;

    public JsonCompactEachRowDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        anyNumber = settings.flag("input_format_json_compact_allow_variable_number_of_columns");
    }

    @Override
    protected JsonCursor open(byte[] message) {
        return new JsonCursor(message);
    }

    @Override
    protected boolean begin(JsonCursor in) {
        in.skipMark();
        return in.peek() >= 0;
    }

    @Override
    protected boolean more(JsonCursor in, boolean first) {
        return in.more(first);
    }

    @Override
    protected Object[] row(JsonCursor in) {
        Object[] row = table.row();
        in.take('[');
        int count = table.values.length;
        for (int i = 0; i < count; i++) {
            if (anyNumber && in.peek() == ']') break;
            if (i > 0) in.take(',');
            try {
                row[i + 1] = table.values[i].json(in);
            } catch (BadValue bad) {
                throw table.wrong(bad, i, "key");
            }
        }
        while (anyNumber && in.took(',')) in.skip();
        in.take(']');
        return table.filled(row);
    }
}
