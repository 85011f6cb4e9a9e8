package sluice.protobuf;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.AllowedErrors;
import sluice.decode.Decoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReaders;

/** Protobuf's records: many with their lengths before them, one without, or many in an envelope. */
public class ProtobufDecoder implements Decoder {
    private final boolean[] wrapped; // columns that are structs of their value, to tell NULL from nothing
    private final MessageReader record;
    private final Framing framing;
    private final AllowedErrors errors;

    public ProtobufDecoder(String columns, Settings settings) {
        this(columns, settings, SchemaSource.message(TypeSpec.columns(columns), settings, Framing.of(settings) == Framing.LIST));
    }

    ProtobufDecoder(String columns, Settings settings, Proto.Message message) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        ValueReaders values = new ValueReaders(settings, false);
        wrapped = new boolean[given.size()];
        for (int i = 0; i < wrapped.length; i++) wrapped[i] = given.get(i).wrapped();
        framing = Framing.of(settings);
        Plan.Message plan = new Matching(false, settings.flag("input_format_protobuf_flatten_google_wrappers"),
            settings.flag("input_format_protobuf_oneof_presence")).record(given, message);
        record = new MessageReader(plan, new ClickHouseReaders(new ScalarReaders(values)));
        errors = AllowedErrors.of(settings);
    }

    @Override
    public final ArrayData decode(byte[] message) {
        if (message.length == 0) return ProtoCursor.corrupted("the message is empty").row(wrapped.length);
        return decode(new ProtoCursor(message));
    }

    /** The rows from a position to the end. */
    final ArrayData decode(ProtoCursor in) {
        try {
            List<Object> rows = new ArrayList<>(framing == Framing.SINGLE ? 1 : 4);
            switch (framing) {
                case SINGLE:
                    rows.add(row(in));
                    break;
                case LIST:
                    if (in.bytesEnd() != in.end) throw ProtoCursor.corrupted("more bytes after the envelope");
                    while (in.at < in.end) listed(in, rows);
                    break;
                default: several(in, rows);
            }
            return new GenericArrayData(rows.toArray());
        } catch (BadValue bad) {
            return bad.row(wrapped.length);
        }
    }

    /** Records with their lengths before them; of wrong ones as many are skipped as the settings allow. */
    private void several(ProtoCursor in, List<Object> rows) {
        int end = in.end;
        int wrong = 0;
        for (int seen = 1; in.at < end; seen++) {
            int next = in.bytesEnd();
            in.end = next;
            try {
                rows.add(row(in));
            } catch (BadValue bad) {
                wrong++;
                if (!errors.allow(wrong, seen)) throw bad;
            }
            in.at = next;
            in.end = end;
        }
    }

    /** A field of the envelope, which is a record if it is the first. */
    private void listed(ProtoCursor in, List<Object> rows) {
        int key = in.key();
        if (key != (1 << 3 | ProtoCursor.BYTES)) {
            in.skip(key);
            return;
        }
        int outer = in.enter(ProtoCursor.BYTES);
        rows.add(row(in));
        in.leave(outer);
    }

    private Object row(ProtoCursor in) {
        Object[] row = new Object[wrapped.length + 1];
        record.read(in, false, row, 1);
        record.finish(row, 1);
        for (int i = 0; i < wrapped.length; i++) {
            if (wrapped[i] && record.has(i)) row[i + 1] = new GenericInternalRow(new Object[] {row[i + 1]});
        }
        return new GenericInternalRow(row);
    }
}
