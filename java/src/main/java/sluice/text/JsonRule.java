package sluice.text;

import sluice.scan.FieldCursor;
import sluice.scan.JsonCursor;
import sluice.scan.JsonRules;
import sluice.values.ValueReader;

/** Fields as JSON values. */
final class JsonRule extends FieldRule {
    private static final int DEEPEST = 1000;
    private static final JsonRules RULES = new JsonRules(true, JsonRules.BadEscapes.REFUSED, DEEPEST);

    @Override
    Object value(FieldCursor in, ValueReader value, byte[]... stops) {
        JsonCursor inside = open(in);
        Object found = value.json(inside);
        in.at = inside.at;
        return found;
    }

    @Override
    void text(FieldCursor in, byte[]... stops) {
        JsonCursor inside = open(in);
        if (inside.next() != JsonCursor.STRING) throw unread(in);
        in.text = inside.text;
        in.from = inside.from;
        in.to = inside.to;
        in.at = inside.at;
    }

    @Override
    void skip(FieldCursor in, byte[]... stops) {
        JsonCursor inside = open(in);
        inside.skip();
        in.at = inside.at;
    }

    private static JsonCursor open(FieldCursor in) {
        noBlank(in);
        return new JsonCursor(in.bytes, in.at, in.end, RULES);
    }
}
