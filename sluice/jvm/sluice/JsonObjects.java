package sluice;

/**
 * JSON objects, one or several in a message: with blanks, line ends, commas or nothing between them,
 * or in a list.
 */
abstract class JsonObjects extends RowDecoder<Json> {
    JsonObjects(Table table, Settings settings) {
        super(table, settings);
    }

    @Override
    final Json open(byte[] message) {
        return new Json(message);
    }

    @Override
    final boolean begin(Json in) {
        in.skipMark();
        if (in.peek() < 0) return false;
        in.list = in.took('[');
        return true;
    }

    @Override
    final boolean more(Json in, boolean first) {
        return in.moreObjects(first);
    }
}
