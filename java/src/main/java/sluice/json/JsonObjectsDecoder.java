package sluice.json;

import sluice.decode.RowDecoder;
import sluice.scan.JsonCursor;
import sluice.scan.JsonRules;
import sluice.values.Settings;

/**
 * JSON objects, one or several in a message: with blanks, line ends, commas or nothing between them,
 * or in a list.
 */
abstract class JsonObjectsDecoder extends RowDecoder<JsonCursor> {
    private final JsonRules rules;

    JsonObjectsDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        rules = rules(settings);
    }

    /** ClickHouse's. */
    static JsonRules rules(Settings settings) {
        boolean refused = settings.flag("input_format_json_throw_on_bad_escape_sequence");
        return new JsonRules(false, refused ? JsonRules.BadEscapes.REFUSED : JsonRules.BadEscapes.KEPT,
            settings.number("input_format_json_max_depth"));
    }

    @Override
    protected final JsonCursor open(byte[] message) {
        return new JsonCursor(message, rules);
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
