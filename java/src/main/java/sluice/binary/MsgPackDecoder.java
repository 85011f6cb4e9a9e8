package sluice.binary;

import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows as objects of MessagePack, one for each column, without anything between them. */
public final class MsgPackDecoder extends RowDecoder<PackCursor> {
    private final PackValue[] values;

    public MsgPackDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        PackValues made = new PackValues(settings);
        values = TypeSpec.columns(columns).stream().map(each -> made.of(each.type())).toArray(PackValue[]::new);
    }

    @Override
    protected PackCursor open(byte[] message) {
        return new PackCursor(message);
    }

    @Override
    protected boolean begin(PackCursor in) {
        if (in.at == in.end) throw in.tooShort();
        return true;
    }

    @Override
    protected boolean recovers() {
        return false;
    }

    @Override
    protected Object[] row(PackCursor in) {
        Object[] row = table.row();
        int i = 0;
        try {
            for (; i < values.length; i++) {
                if (in.at == in.end) throw new BadValue("Not enough values to complete the row");
                if (in.tookNil()) {
                    row[i + 1] = table.values[i].none();
                } else {
                    in.next();
                    row[i + 1] = values[i].held(in);
                }
            }
        } catch (BadValue bad) {
            throw table.wrong(bad, i, "column");
        }
        return table.filled(row);
    }
}
