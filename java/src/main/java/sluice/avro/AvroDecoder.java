package sluice.avro;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.io.DecoderFactory;
import sluice.flink.FlinkDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's avro, read: a message is one record. */
public class AvroDecoder extends FlinkDecoder {
    final AvroValue.Record record;
    private final Schema schema; // null where records are binary

    public AvroDecoder(String described, Settings options) {
        this(described, AvroSchema.ofJson(described, options));
    }

    AvroDecoder(String described, Schema schema) {
        super(described, false);
        this.record = new AvroValue.Record(TypeSpec.columns(described), 1); // with a place for an error before the columns
        this.schema = schema;
    }

    @Override
    protected final String failed(byte[] message) {
        return "Failed to deserialize Avro record.";
    }

    @Override
    protected final Object[] read(byte[] message) {
        try {
            return record(message);
        } catch (IOException | AvroRuntimeException bad) {
            throw new BadValue(BadValue.shown(String.valueOf(bad.getMessage())));
        }
    }

    /** The row of a message, which is a record without anything around it. */
    Object[] record(byte[] message) throws IOException {
        if (schema != null) {
            var in = new ByteArrayInputStream(message);
            return record.values(DecoderFactory.get().jsonDecoder(schema, in));
        }
        AvroBytes in = new AvroBytes(message, 0);
        Object[] row = record.values(in);
        in.finish();
        return row;
    }
}
