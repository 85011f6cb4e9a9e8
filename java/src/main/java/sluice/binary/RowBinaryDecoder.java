package sluice.binary;

import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows in ClickHouse's RowBinary. */
public final class RowBinaryDecoder extends RowDecoder<BinaryCursor> {
    private final Header inOrder;

    public RowBinaryDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        BinaryValues values = new BinaryValues(settings);
        BinaryValue[] own = TypeSpec.columns(columns).stream().map(each -> values.of(each.type()))
            .toArray(BinaryValue[]::new);
        inOrder = new Header(java.util.stream.IntStream.range(0, own.length).toArray(), own);
    }

    @Override
    protected BinaryCursor open(byte[] message) {
        return new BinaryCursor(message);
    }

    @Override
    protected boolean begin(BinaryCursor in) {
        if (in.at == in.end) throw in.tooShort(inOrder.values()[0].least);
        in.header = inOrder;
        return true;
    }

    @Override
    protected boolean more(BinaryCursor in, boolean first) {
        return in.at < in.end;
    }

    @Override
    protected boolean recovers() {
        return false;
    }

    @Override
    protected Object[] row(BinaryCursor in) {
        Object[] row = table.row();
        int[] columns = in.header.columns();
        BinaryValue[] values = in.header.values();
        int i = 0;
        try {
            for (; i < values.length; i++) {
                Object value = values[i].read(in);
                int column = columns[i];
                row[column + 1] = value == null ? table.values[column].none() : value;
            }
        } catch (BadValue bad) {
            throw table.wrong(bad, columns[i], "column");
        }
        return table.filled(row);
    }
}
