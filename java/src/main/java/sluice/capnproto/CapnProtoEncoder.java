package sluice.capnproto;

import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.binary.RowBinaryEncoder;
import sluice.encode.Encoder;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Rows as Cap'n Proto's messages, not packed, of one segment each. */
public final class CapnProtoEncoder implements Encoder {
    private final Node.Inner row;
    private final RowBinaryEncoder rows;

    public CapnProtoEncoder(String columns, Settings settings) {
        row = Matching.row(TypeSpec.columns(columns), settings, true);
        rows = new RowBinaryEncoder(columns, settings);
    }

    @Override
    public byte[] encode(ArrayData given) {
        RowBytes in = new RowBytes(rows.encode(given));
        Builder made = new Builder();
        while (in.more()) {
            row.each(in, made.begin(row.field.type().struct()), made);
            made.end();
        }
        return made.out.message();
    }
}
