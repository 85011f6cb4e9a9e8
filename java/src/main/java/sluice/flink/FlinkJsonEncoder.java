package sluice.flink;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.values.Escapes;
import sluice.values.NestedWriters;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;

/** A row as a JSON object, as Flink writes it. */
public final class FlinkJsonEncoder extends FlinkEncoder {
    private static final int MOST_ROOM = 1 << 16;

    private final NestedWriters.StructValue object;
    private int room = 256; // as much as messages had need of so far

    public FlinkJsonEncoder(String columns, Settings options) {
        object = parts(TypeSpec.columns(columns), options);
    }

    @Override
    public byte[] row(InternalRow row) {
        Output out = new Output(room);
        write(row, out);
        return out.message();
    }

    /** How many bytes a message is likely to need. */
    public int room() {
        return room;
    }

    /** Write a row as a part of a message. */
    public void write(InternalRow row, Output out) {
        object.object(row, out);
        if (out.size > room) room = Math.min(out.size + out.size / 4, MOST_ROOM);
    }

    private static NestedWriters.StructValue parts(List<TypeSpec.Column> fields, Settings options) {
        List<ValueWriter> values = fields.stream().map(field -> of(field.type(), options)).toList();
        List<String> names = fields.stream().map(TypeSpec.Column::name).toList();
        return new NestedWriters.StructValue(values, names, Escapes.JACKSON, options.flag("encode.ignore-null-fields"));
    }

    private static ValueWriter of(TypeSpec type, Settings options) {
        switch (type.kind()) {
            case "items": return new NestedWriters.ArrayValue(of(type.inner("item"), options));
            case "pairs":
                return new FlinkWrite.MapValue(of(type.inner("key"), options), of(type.inner("value"), options),
                    options.text("map-null-key.mode"), options.text("map-null-key.literal"));
            case "parts": return parts(type.fields(), options);
            default:
                boolean iso = options.text("timestamp-format.standard").equals("ISO-8601");
                return FlinkWrite.scalar(type, iso, options.flag("encode.decimal-as-plain-number"));
        }
    }
}
