package sluice.text;

import sluice.scan.FieldCursor;
import sluice.scan.QuotedText;
import sluice.values.ValueReader;

/** Fields as in Values and within arrays: texts are in single quotes. */
final class QuotedRule extends FieldRule {
    @Override
    Object value(FieldCursor in, ValueReader value, byte[]... stops) {
        noBlank(in);
        QuotedText inside = new QuotedText(in.bytes, in.at, in.end, stops.length == 0 ? (byte) ' ' : stops[0][0]);
        Object found = value.quoted(inside);
        in.at = inside.at;
        return found;
    }

    @Override
    void text(FieldCursor in, byte[]... stops) {
        if (in.at == in.end || in.bytes[in.at] != '\'') throw unread(in);
        skip(in, stops);
    }

    /** A number, or a text without escapes. */
    @Override
    void skip(FieldCursor in, byte[]... stops) {
        noBlank(in);
        QuotedText inside = new QuotedText(in.bytes, in.at, in.end, stops.length == 0 ? (byte) ' ' : stops[0][0]);
        inside.item();
        if (inside.inQuotes ? inside.text != in.bytes : !number(inside)) throw unread(in);
        in.text = inside.text;
        in.from = inside.from;
        in.to = inside.to;
        in.at = inside.at;
    }

    private static boolean number(QuotedText in) {
        for (int i = in.from; i < in.to; i++) {
            boolean inside = in.text[i] >= '0' && in.text[i] <= '9' || in.text[i] == '.' && i > in.from;
            if (!inside && !(in.text[i] == '-' && i == in.from)) return false;
        }
        return in.from < in.to;
    }
}
