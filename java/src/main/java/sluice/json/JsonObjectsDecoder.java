package sluice.json;

import sluice.decode.RowDecoder;
import sluice.scan.JsonCursor;
import sluice.values.Settings;

/**
 * JSON objects, one or several in a message: with blanks, line ends, commas or nothing between them,
 * or in a list.
 */
abstract class JsonObjectsDecoder extends RowDecoder<JsonCursor> {
    JsonObjectsDecoder(String columns, Settings settings) {
        super(columns, settings, null);
    }

    @Override
    protected final JsonCursor open(byte[] message) {
        return new JsonCursor(message);
    }

    @Override
    protected boolean begin(JsonCursor in) {
        in.skipMark();
        if (in.peek() < 0) return false;
        in.list = in.took('[');
        return true;
    }

    @Override
    protected boolean more(JsonCursor in, boolean first) {
        return in.moreObjects(first);
    }
}
