package sluice.text;

import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.QuotedText;
import sluice.values.Settings;

/** Tuples of literals, {@code (1, 'a'), (2, NULL)}; expressions are left to ClickHouse. */
public final class ValuesDecoder extends RowDecoder<QuotedText> {
    public ValuesDecoder(String columns, Settings settings) {
        super(columns, settings, null);
    }

    @Override
    protected QuotedText open(byte[] message) {
        return new QuotedText(message, 0, message.length);
    }

    @Override
    protected boolean more(QuotedText in, boolean first) {
        if (in.took(';') && in.peek() >= 0) throw in.expected("nothing");
        return in.peek() >= 0;
    }

    @Override
    protected Object[] row(QuotedText in) {
        Object[] row = table.row();
        in.take('(');
        for (int i = 0; i < table.values.length; i++) {
            if (i > 0) in.take(',');
            in.peek();
            try {
                row[i + 1] = table.values[i].quoted(in);
            } catch (BadValue bad) {
                throw table.wrong(bad, i, "column");
            }
        }
        in.take(')');
        in.took(',');
        return table.filled(row);
    }
}
