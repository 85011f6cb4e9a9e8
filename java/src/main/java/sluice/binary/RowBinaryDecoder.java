package sluice.binary;

import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;

/** Rows in ClickHouse's RowBinary, perhaps after a header, perhaps with a byte that says default before each value. */
public final class RowBinaryDecoder extends RowDecoder<BinaryCursor> {
    private final BinaryHeader header;
    private final boolean defaults;

    public RowBinaryDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        header = new BinaryHeader(columns, table, settings);
        defaults = settings.fixed("with_defaults");
    }

    @Override
    protected BinaryCursor open(byte[] message) {
        return new BinaryCursor(message);
    }

    @Override
    protected boolean begin(BinaryCursor in) {
        if (in.at == in.end) throw in.tooShort(1);
        in.fields = header.read(in);
        return true;
    }

    @Override
    protected boolean recovers() {
        return false;
    }

    @Override
    protected Object[] row(BinaryCursor in) {
        Object[] row = table.row();
        int[] columns = in.fields.columns();
        BinaryValue[] values = in.fields.values();
        int first = in.at;
        int i = 0;
        try {
            for (; i < values.length; i++) {
                if (defaults && in.one() != 0) continue;
                Object value = values[i].read(in);
                int column = columns[i];
                if (column >= 0) row[column + 1] = value == null ? table.values[column].none() : value;
            }
        } catch (BadValue bad) {
            throw columns[i] < 0 ? bad : table.wrong(bad, columns[i], "column");
        }
        if (in.at == first) throw in.tooShort(1); // of values without any bytes there is no end
        return table.filled(row);
    }
}
