package sluice.text;

import sluice.decode.RowDecoder;
import sluice.scan.Cursor;
import sluice.values.Settings;

/** The message, or each of its lines, as the table's only column. */
public final class WholeMessageDecoder extends RowDecoder<Cursor> {
    private final boolean lines;

    public WholeMessageDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        lines = settings.fixed("lines");
    }

    @Override
    protected Cursor open(byte[] message) {
        return new Cursor(message, 0, message.length);
    }

    @Override
    protected Object[] row(Cursor in) {
        int first = in.at;
        int last = in.end;
        if (lines) {
            last = first;
            while (last < in.end && in.bytes[last] != '\n') last++;
        }
        in.slice(first, last);
        in.at = last + 1;
        Object[] row = table.row();
        row[1] = table.values[0].field(in);
        return table.filled(row);
    }
}
