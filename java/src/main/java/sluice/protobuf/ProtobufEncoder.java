package sluice.protobuf;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.encode.Encoder;
import sluice.errors.ConditionException;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueWriters;

/** Rows as Protobuf's records: each with its length before it, one without, or all in an envelope. */
public class ProtobufEncoder implements Encoder {
    private final MessageWriter record;
    private final Framing framing;
    private final int columns;

    public ProtobufEncoder(String columns, Settings settings) {
        this(columns, settings, SchemaSource.message(TypeSpec.columns(columns), settings, Framing.of(settings) == Framing.LIST));
    }

    ProtobufEncoder(String columns, Settings settings, Proto.Message message) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        Plan.Message plan = new Matching(true, settings.flag("output_format_protobuf_nullables_with_google_wrappers"), false)
            .record(given, message);
        record = new MessageWriter(plan, new ScalarWriters(new ValueWriters(settings)));
        framing = Framing.of(settings);
        this.columns = given.size();
    }

    @Override
    public final byte[] encode(ArrayData rows) {
        Output out = new Output();
        encode(rows, out);
        return out.message();
    }

    final void encode(ArrayData rows, Output out) {
        int count = rows.numElements();
        if (framing == Framing.SINGLE && count > 1) throw ConditionException.ofExpression("NO_ROW_DELIMITER", Map.of("format", "ProtobufSingle"));
        int start = out.size;
        for (int i = 0; i < count; i++) {
            int first = out.size;
            record.fields(rows.getStruct(i, columns), out);
            if (framing != Framing.SINGLE) WireOutput.delimit(first, framing == Framing.LIST ? 1 : 0, out);
        }
        if (framing == Framing.LIST) WireOutput.delimit(start, 0, out);
    }
}
