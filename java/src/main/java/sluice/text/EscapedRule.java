package sluice.text;

import sluice.scan.FieldCursor;
import sluice.scan.QuotedText;
import sluice.values.NestedReaders;
import sluice.values.Settings;
import sluice.values.TextReaders;
import sluice.values.ValueReader;

/** Fields as in TabSeparated, with backslashes or raw: whatever the delimiter, they end at a tab or a line feed. */
final class EscapedRule extends FieldRule {
    private final byte[] nothing;
    private final boolean raw;

    EscapedRule(Settings settings, boolean raw) {
        this.raw = raw;
        nothing = settings.bytes("format_tsv_null_representation");
    }

    @Override
    Object value(FieldCursor in, ValueReader value, byte[]... stops) {
        if (isNull(in, nothing, stops)) return value.none();
        boolean holder = value instanceof NestedReaders.Holder;
        if (holder) bracket(in);
        if (holder && !raw) {
            QuotedText inside = new QuotedText(in.bytes, in.at, in.end);
            Object found = value.quoted(inside);
            in.at = inside.at;
            return found;
        }
        text(in, stops);
        boolean text = value instanceof TextReaders.Plain || value instanceof TextReaders.Fixed;
        if (!text && in.text != in.bytes || holder && in.text[in.to - 1] <= ' ') throw unread(in);
        return value.field(in);
    }

    @Override
    void text(FieldCursor in, byte[]... stops) {
        if (raw) TsvDecoder.raw(in);
        else TsvDecoder.escaped(in, false, (byte) '\t');
    }
}
