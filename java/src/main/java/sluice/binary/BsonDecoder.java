package sluice.binary;

import sluice.decode.RowDecoder;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.scan.NameTable;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Documents of BSON, one after another, whose fields have the columns' names. */
public final class BsonDecoder extends RowDecoder<BsonCursor> {
    private final BsonValue[] values;
    private final NameTable names;
    private final boolean skipUnknown;

    public BsonDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        BsonValues made = new BsonValues(settings);
        values = TypeSpec.columns(columns).stream().map(each -> made.of(each.type())).toArray(BsonValue[]::new);
        names = new NameTable(table.names, null, TableColumns.matching(settings));
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
    }

    @Override
    protected BsonCursor open(byte[] message) {
        return new BsonCursor(message);
    }

    @Override
    protected boolean more(BsonCursor in, boolean first) {
        if (in.at == in.end) return false;
        in.openRow();
        return true;
    }

    @Override
    protected void recover(BsonCursor in) {
        in.closeRow();
    }

    @Override
    protected Object[] row(BsonCursor in) {
        Object[] row = table.row();
        boolean[] seen = new boolean[values.length];
        int column = -1;
        while (in.field()) {
            column = names.find(in, column + 1);
            if (column < 0) {
                unknown(in);
                continue;
            }
            if (seen[column]) {
                throw new BadValue("Duplicate field found while parsing BSONEachRow format: " + table.names.get(column));
            }
            seen[column] = true;
            try {
                row[column + 1] = in.kind == BsonCursor.Kind.NULL ? table.values[column].none() : values[column].held(in);
            } catch (BadValue bad) {
                throw table.wrong(bad, column, "field");
            }
        }
        return table.filled(row);
    }

    private void unknown(BsonCursor in) {
        if (!skipUnknown) {
            throw new BadValue("Unknown field found while parsing BSONEachRow format: "
                + BadValue.shown(in.text, in.from, in.to));
        }
        in.skip();
    }
}
