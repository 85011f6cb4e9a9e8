package sluice.avro;

import java.io.IOException;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.TypeSpec;

/** Avro records by Avro's own decoder, with our values, and by its generic reader. */
public final class AvroLibrary {
    private final AvroValue.Record record;
    private final Schema schema;
    private final GenericDatumReader<GenericRecord> reader;
    private final boolean[] times;
    private BinaryDecoder decoder;

    public AvroLibrary(String columns) {
        record = new AvroValue.Record(TypeSpec.columns(columns), 1);
        schema = AvroSchema.of(columns, false);
        reader = new GenericDatumReader<>(schema);
        times = new boolean[schema.getFields().size()];
        for (Schema.Field field : schema.getFields()) {
            Schema type = field.schema().isUnion() ? field.schema().getTypes().get(1) : field.schema();
            times[field.pos()] = type.getLogicalType() != null;
        }
    }

    public ArrayData binary(byte[] message) throws IOException {
        decoder = DecoderFactory.get().binaryDecoder(message, decoder);
        Object[] row = record.values(decoder);
        if (!decoder.isEnd()) throw new IOException("bytes after the record");
        return new GenericArrayData(new Object[] {new GenericInternalRow(row)});
    }

    public ArrayData generic(byte[] message) throws IOException {
        decoder = DecoderFactory.get().binaryDecoder(message, decoder);
        GenericRecord found = reader.read(null, decoder);
        if (!decoder.isEnd()) throw new IOException("bytes after the record");
        Object[] row = new Object[times.length + 1];
        for (int n = 0; n < times.length; n++) row[n + 1] = value(found.get(n), times[n]);
        return new GenericArrayData(new Object[] {new GenericInternalRow(row)});
    }

    private static Object value(Object value, boolean time) {
        if (value instanceof Utf8 text) return UTF8String.fromBytes(text.getBytes(), 0, text.getByteLength());
        if (value instanceof Long number && time) return Math.multiplyExact(number, 1000L);
        if (value instanceof List<?> list) {
            Object[] items = new Object[list.size()];
            for (int n = 0; n < items.length; n++) items[n] = value(list.get(n), false);
            return new GenericArrayData(items);
        }
        return value;
    }
}
