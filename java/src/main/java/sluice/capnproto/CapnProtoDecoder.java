package sluice.capnproto;

import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.binary.RowBinaryDecoder;
import sluice.decode.Decoder;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Cap'n Proto's messages, not packed, one after another: each is a row. Its values have the bytes of RowBinary. */
public final class CapnProtoDecoder implements Decoder {
    private final Node.Inner row;
    private final RowBinaryDecoder rows;
    private final String[] names;
    private final long longest;

    public CapnProtoDecoder(String columns, Settings settings) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        row = Matching.row(given, settings, false);
        rows = new RowBinaryDecoder(columns, settings);
        names = given.stream().map(TypeSpec.Column::name).toArray(String[]::new);
        longest = settings.whole("format_capn_proto_max_message_size");
    }

    @Override
    public ArrayData decode(byte[] bytes) {
        try {
            if (bytes.length == 0) throw new BadValue("The message is empty");
            Message message = new Message(bytes, longest, row.leaves());
            Output found = new Output(Math.max(64, bytes.length));
            while (message.more()) row.row(message, message.next(), found, names);
            return rows.decode(found.message());
        } catch (BadValue bad) {
            return bad.row(names.length);
        }
    }
}
