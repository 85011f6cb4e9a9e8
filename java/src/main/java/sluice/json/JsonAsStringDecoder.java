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
        int first = in.at;
        object(in);
        Object[] row = table.row();
        in.slice(first, in.at);
        row[1] = table.values[0].field(in);
        return table.filled(row);
    }

    /** Go behind the bracket that closes the object; what is inside is not looked at. */
    private static void object(JsonCursor in) {
        int depth = 0;
        boolean inText = false;
        while (in.at < in.end) {
            byte b = in.bytes[in.at++];
            if (inText) {
                if (b == '\\') in.at++;
                else if (b == '"') inText = false;
            } else if (b == '"') {
                inText = true;
            } else if (b == '{') {
                depth++;
            } else if (b == '}' && --depth == 0) {
                return;
            }
        }
        in.at = in.end;
        throw new BadValue("Unexpected end of file while parsing JSON object: '"
            + BadValue.shown(in.bytes, 0, in.end) + "'");
    }
}
