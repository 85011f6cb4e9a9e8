package sluice.json;

import sluice.scan.JsonCursor;
import sluice.values.Settings;

/** One JSON object whose values are rows, which are objects too; a column may take their keys. */
public final class JsonObjectEachRowDecoder extends JsonEachRowDecoder {
    static final String NAME = "format_json_object_each_row_column_for_object_name";

    private final int named;

    public JsonObjectEachRowDecoder(String columns, Settings settings) {
        super(columns, settings, settings.text(NAME).isEmpty());
        named = table.names.indexOf(settings.text(NAME));
    }

    @Override
    protected boolean begin(JsonCursor in) {
        in.skipMark();
        in.take('{');
        return true;
    }

    /** ClickHouse does not miss the last bracket. */
    @Override
    protected boolean more(JsonCursor in, boolean first) {
        if (in.peek() < 0) return false;
        if (in.took('}')) {
            in.ended();
            return false;
        }
        if (!first) in.take(',');
        return true;
    }

    @Override
    protected Object[] row(JsonCursor in) {
        Object[] row = table.row();
        in.key();
        in.seen = 0;
        if (named >= 0) {
            row[named + 1] = table.values[named].field(in);
            isAgain(in, named, row);
        }
        return fields(in, row);
    }
}
