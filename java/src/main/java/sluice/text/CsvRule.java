package sluice.text;

import sluice.scan.FieldCursor;
import sluice.values.NestedReaders;
import sluice.values.Settings;
import sluice.values.ValueReader;

/** Fields as in CSV, in double quotes or up to the delimiter. */
final class CsvRule extends FieldRule {
    private final byte[] nothing;

    CsvRule(Settings settings) {
        this(settings.bytes("format_csv_null_representation"));
    }

    /** With a text for NULL, or without any. */
    CsvRule(byte[] nothing) {
        this.nothing = nothing;
    }

    @Override
    Object value(FieldCursor in, ValueReader value, byte[]... stops) {
        if (isNull(in, nothing, stops)) return value.none();
        boolean holder = value instanceof NestedReaders.Holder;
        text(in, stops);
        boolean flag = value.type.equals("Bool"); // which ClickHouse reads in its own way, to a single byte
        if (flag && (in.inQuotes || stops.length > 0 && stops[0].length > 1)) throw unread(in);
        if (holder) bracket(new FieldCursor(in));
        return value.field(in);
    }

    @Override
    void text(FieldCursor in, byte[]... stops) {
        byte[] b = in.bytes;
        byte first = in.at < in.end ? b[in.at] : 0;
        in.inQuotes = first == '"';
        if (in.inQuotes) {
            CsvDecoder.quoted(in, first);
            return;
        }
        int from = in.at;
        while (!ends(in, stops)) {
            if (b[in.at] == '\n' || b[in.at] == '\r') throw unread(in);
            in.at++;
        }
        in.slice(from, in.at);
        boolean blank = from < in.at && (first == ' ' || first == '\t' || b[in.at - 1] == ' ' || b[in.at - 1] == '\t');
        if (first == '\'' || blank) throw unread(in);
    }
}
