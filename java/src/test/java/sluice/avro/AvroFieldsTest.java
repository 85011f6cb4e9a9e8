package sluice.avro;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;

/** Fields of Debezium's envelope, without the rows in it. */
class AvroFieldsTest {
    private static final Schema ENVELOPE = new Schema.Parser().parse("""
            {"type": "record", "name": "Envelope", "namespace": "server.bank.accounts", "fields": [
              {"name": "after", "type": ["null", {"type": "record", "name": "Value", "fields": [
                {"name": "id", "type": "int"}, {"name": "transaction", "type": "string"}]}], "default": null},
              {"name": "op", "type": "string"},
              {"name": "transaction", "default": null, "type": ["null", {"type": "record", "name": "block",
                "namespace": "event", "fields": [{"name": "id", "type": "string"},
                {"name": "total_order", "type": "long"}, {"name": "data_collection_order", "type": "long"}]}]}]}
            """);

    private final AvroFields fields = new AvroFields(id -> id == 7 ? ENVELOPE : null, Set.of("transaction", "status"));

    private static byte[] message(Object transaction) throws IOException {
        GenericData.Record value = new GenericData.Record(ENVELOPE.getField("after").schema().getTypes().get(1));
        value.put("id", 1);
        value.put("transaction", "a row's");
        GenericData.Record envelope = new GenericData.Record(ENVELOPE);
        envelope.put("after", value);
        envelope.put("op", "c");
        envelope.put("transaction", transaction);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(ByteBuffer.allocate(5).put((byte) 0).putInt(7).array());
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<>(ENVELOPE).write(envelope, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    @Test
    void theWantedFieldsAsJson() throws IOException {
        GenericData.Record block = new GenericData.Record(ENVELOPE.getField("transaction").schema().getTypes().get(1));
        block.put("id", "571:9");
        block.put("total_order", 2L);
        block.put("data_collection_order", 1L);
        byte[] message = message(block);
        String wanted = "{\"transaction\": {\"id\": \"571:9\", \"total_order\": 2, \"data_collection_order\": 1}}";
        assertEquals(wanted, new String(fields.apply(message), UTF_8));
        assertEquals("{\"transaction\": null}", new String(fields.apply(message(null)), UTF_8));
        byte[] unknown = message.clone();
        unknown[4] = 8;
        for (byte[] bad : List.of(new byte[0], new byte[3], unknown, "{\"op\":1}".getBytes(UTF_8), Arrays.copyOf(message, message.length - 4))) {
            assertNull(fields.apply(bad));
        }
        assertNull(fields.apply(null));
    }
}
