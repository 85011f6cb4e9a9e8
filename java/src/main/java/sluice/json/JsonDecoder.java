package sluice.json;

import sluice.scan.JsonCursor;
import sluice.values.Settings;

/** JSON objects in a list, after the columns' names and types; without these, they are as in JSONEachRow. */
public final class JsonDecoder extends JsonEachRowDecoder {
    private final Metadata metadata;

    public JsonDecoder(String columns, Settings settings) {
        super(columns, settings);
        metadata = new Metadata(table, settings, false);
    }

    @Override
    protected boolean begin(JsonCursor in) {
        in.skipMark();
        in.enclosed = metadata.isNext(in);
        if (!in.enclosed) return super.begin(in);
        metadata.read(in, '[');
        return true;
    }

    @Override
    protected boolean more(JsonCursor in, boolean first) {
        return in.enclosed ? in.moreEnclosed(first) : super.more(in, first);
    }
}
