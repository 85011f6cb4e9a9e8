package sluice.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkEncoder;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/** Flink's avro, written: a row is one record, without anything around it. */
public final class AvroEncoder extends FlinkEncoder {
    private final AvroWriter.Parts record;
    private final Schema schema; // null where records are binary

    public AvroEncoder(String described, Settings options) {
        record = AvroWriter.record(ValueReaders.tree(described));
        boolean json = options.text("encoding").equals("json");
        schema = json
            ? AvroSchema.of(described, options.flag("timestamp_mapping.legacy")) : null;
    }

    @Override
    public byte[] row(InternalRow row) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(128);
        try {
            EncoderFactory made = EncoderFactory.get();
            Encoder encoder = schema == null
                ? made.directBinaryEncoder(out, null) : made.jsonEncoder(schema, out);
            record.values(row, encoder);
            encoder.flush();
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
        return out.toByteArray();
    }
}
