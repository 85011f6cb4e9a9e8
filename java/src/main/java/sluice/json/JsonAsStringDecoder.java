package sluice.json;

import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Settings;

/** JSON objects, each kept as its text in the table's only column. */
public final class JsonAsStringDecoder extends JsonObjectsDecoder {
    public JsonAsStringDecoder(String columns, Settings settings) {
        super(columns, settings);
    }

    @Override
    protected Object[] row(JsonCursor in) {
        if (in.peek() != '{') throw new BadValue("JSON object must begin with '{', not with: '"
            + BadValue.shown(in.bytes, in.at, in.end) + "'");
        in.object();
        Object[] row = table.row();
        row[1] = table.values[0].field(in);
        return table.filled(row);
    }
}
