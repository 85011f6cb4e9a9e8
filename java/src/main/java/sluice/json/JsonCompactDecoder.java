package sluice.json;

import sluice.scan.JsonCursor;
import sluice.values.Settings;

/** JSON lists in a list, after the columns' names and types. */
public final class JsonCompactDecoder extends JsonCompactEachRowDecoder {
    private final Metadata metadata;

    public JsonCompactDecoder(String columns, Settings settings) {
        super(columns, settings.with("input_format_json_compact_allow_variable_number_of_columns", "false"));
        metadata = new Metadata(table, settings, true);
    }

    @Override
    protected boolean begin(JsonCursor in) {
        in.skipMark();
        in.order = metadata.read(in, '[');
        return true;
    }

    @Override
    protected boolean more(JsonCursor in, boolean first) {
        return in.moreEnclosed(first);
    }
}
