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

    @Override
    void skip(FieldCursor in, byte[]... stops) {
        noBlank(in);
        QuotedText inside = new QuotedText(in.bytes, in.at, in.end, stops.length == 0 ? (byte) ' ' : stops[0][0]);
        skip(inside);
        in.text = inside.text;
        in.from = inside.from;
        in.to = inside.to;
        in.at = inside.at;
    }

    /** A number, NULL, or a text without escapes. */
    static void skip(QuotedText in) {
        in.item();
        boolean known = in.inQuotes ? in.text == in.bytes : in.isNull() || number(in);
        if (!known) throw in.expected("a field");
    }

    private static boolean number(QuotedText in) {
        int first = in.from < in.to && in.text[in.from] == '-' ? in.from + 1 : in.from;
        int point = digits(in, first);
        if (point == first || point == in.to) return point > first;
        return in.text[point] == '.' && point + 1 < in.to && digits(in, point + 1) == in.to;
    }

    /** Where digits end. */
    private static int digits(QuotedText in, int from) {
        int i = from;
        while (i < in.to && in.text[i] >= '0' && in.text[i] <= '9') i++;
        return i;
    }
}
