package sluice.json;

import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Settings;

/** JSON objects, each a value of the table's only column, which is of type JSON. */
public final class JsonAsObjectDecoder extends JsonObjectsDecoder {
    public JsonAsObjectDecoder(String columns, Settings settings) {
        super(columns, settings);
    }

    @Override
    protected Object[] row(JsonCursor in) {
        Object[] row = table.row();
        try {
            row[1] = table.values[0].json(in);
        } catch (BadValue bad) {
            throw table.wrong(bad, 0, "column");
        }
        return table.filled(row);
    }
}
