package sluice.avro;

import org.apache.avro.Schema;
import org.apache.avro.io.EncoderFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkEncoder;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's avro, written: a row is one record, without anything around it. */
public final class AvroEncoder extends FlinkEncoder {
    private final AvroWriter.Record record;
    private final Schema schema; // null where records are binary

    public AvroEncoder(String described, Settings options) {
        record = new AvroWriter.Record(TypeSpec.columns(described));
        schema = AvroSchema.ofJson(described, options);
    }

    @Override
    public byte[] row(InternalRow row) {
        EncoderFactory made = EncoderFactory.get();
        return record.message(new byte[0], row,
            out -> schema == null ? made.directBinaryEncoder(out, null) : made.jsonEncoder(schema, out));
    }
}
