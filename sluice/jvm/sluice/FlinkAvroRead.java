package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.io.DecoderFactory;

/** Flink's avro, read: a message is one record, without anything around it. */
final class FlinkAvroRead extends FlinkDecoder {
    private final FlinkAvroValue.Parts record;
    private final Schema schema; // null where records are binary

    FlinkAvroRead(String described, Settings options) {
        this(Values.tree(described), described, options);
    }

    private FlinkAvroRead(JsonNode nodes, String described, Settings options) {
        super(nodes.size(), false);
        record = record(nodes);
        boolean json = options.text("encoding").equals("json");
        schema = json
            ? FlinkAvroSchema.of(described, options.flag("timestamp_mapping.legacy")) : null;
    }

    /** What reads the columns, with a place for an error before them. */
    static FlinkAvroValue.Parts record(JsonNode columns) {
        List<FlinkAvroValue> values = new ArrayList<>();
        columns.forEach(column -> values.add(FlinkAvroValue.of(column.get("type"))));
        return new FlinkAvroValue.Parts(values, 1);
    }

    @Override
    String failed(byte[] message) {
        return "Failed to deserialize Avro record.";
    }

    @Override
    Object[] read(byte[] message) {
        try {
            return schema == null ? binary(message) : json(message);
        } catch (IOException | AvroRuntimeException bad) {
            throw new BadValue(BadValue.shown(String.valueOf(bad.getMessage())));
        }
    }

    private Object[] binary(byte[] message) throws IOException {
        FlinkAvroBytes in = new FlinkAvroBytes(message, 0);
        Object[] row = record.values(in);
        if (in.left() > 0) throw new BadValue(in.left() + " bytes stand behind the record");
        return row;
    }

    private Object[] json(byte[] message) throws IOException {
        var in = new ByteArrayInputStream(message);
        return record.values(DecoderFactory.get().jsonDecoder(schema, in));
    }
}
