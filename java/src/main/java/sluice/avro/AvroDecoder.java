package sluice.avro;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.io.DecoderFactory;
import sluice.flink.FlinkDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/** Flink's avro, read: a message is one record, without anything around it. */
public final class AvroDecoder extends FlinkDecoder {
    private final AvroValue.Parts record;
    private final Schema schema; // null where records are binary

    public AvroDecoder(String described, Settings options) {
        this(ValueReaders.tree(described), described, options);
    }

    private AvroDecoder(JsonNode nodes, String described, Settings options) {
        super(nodes.size(), false);
        record = record(nodes);
        boolean json = options.text("encoding").equals("json");
        schema = json
            ? AvroSchema.of(described, options.flag("timestamp_mapping.legacy")) : null;
    }

    /** What reads the columns, with a place for an error before them. */
    static AvroValue.Parts record(JsonNode columns) {
        List<AvroValue> values = new ArrayList<>();
        columns.forEach(column -> values.add(AvroValue.of(column.get("type"))));
        return new AvroValue.Parts(values, 1);
    }

    @Override
    protected String failed(byte[] message) {
        return "Failed to deserialize Avro record.";
    }

    @Override
    protected Object[] read(byte[] message) {
        try {
            return schema == null ? binary(message) : json(message);
        } catch (IOException | AvroRuntimeException bad) {
            throw new BadValue(BadValue.shown(String.valueOf(bad.getMessage())));
        }
    }

    private Object[] binary(byte[] message) throws IOException {
        AvroBytes in = new AvroBytes(message, 0);
        Object[] row = record.values(in);
        if (in.left() > 0) throw new BadValue(in.left() + " bytes stand behind the record");
        return row;
    }

    private Object[] json(byte[] message) throws IOException {
        var in = new ByteArrayInputStream(message);
        return record.values(DecoderFactory.get().jsonDecoder(schema, in));
    }
}
