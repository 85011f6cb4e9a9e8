package sluice.changes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.Described;
import sluice.decode.Decoder;
import sluice.flink.FlinkEncoder;

/** Debezium's envelope in Avro, with a schema as its converter registers it. */
class DebeziumAvroTest {
    private static final String COLUMNS = "id Int32; name Nullable(String)";
    private static final String SCHEMA = """
        {"type":"record","name":"Envelope","namespace":"server.inventory.products","fields":[
          {"name":"before","type":["null",{"type":"record","name":"Value","fields":[
            {"name":"id","type":"int"},{"name":"name","type":["null","string"],"default":null},
            {"name":"more","type":["null","string"],"default":null}]}],"default":null},
          {"name":"after","type":["null","Value"],"default":null},
          {"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"],"default":null}]}""";

    private final AtomicReference<String> registered = new AtomicReference<>(SCHEMA);
    private final Schema writer = new Schema.Parser().parse(SCHEMA);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ObjectMapper json = new ObjectMapper();
        server.createContext("/", exchange -> {
            byte[] asked = exchange.getRequestBody().readAllBytes();
            if (asked.length > 0) registered.set(json.readTree(asked).get("schema").asText());
            byte[] answer = json.createObjectNode().put("schema", registered.get()).put("id", 7).toString()
                .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        System.setProperty("sluice.remote_url_allow_hosts", "=127.0.0.1");
    }

    @AfterEach
    void stop() {
        server.stop(0);
        System.clearProperty("sluice.remote_url_allow_hosts");
    }

    private String options(String more) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        return Described.with("{\"subject\": \"s\", \"auto.register.schemas\": true, \"timestamp_mapping.legacy\": false}",
            "url=\"" + url + "\"" + (more.isEmpty() ? "" : ", " + more));
    }

    private Decoder decoder(String more) {
        return (Decoder) Described.decoder("debezium-avro-confluent", Described.columns(COLUMNS), options(more));
    }

    private GenericData.Record row(int id, String name) {
        GenericData.Record row = new GenericData.Record(writer.getField("before").schema().getTypes().get(1));
        row.put("id", id);
        row.put("name", name);
        return row;
    }

    private byte[] message(GenericData.Record before, GenericData.Record after, String op) throws IOException {
        GenericData.Record made = new GenericData.Record(writer);
        made.put("before", before);
        made.put("after", after);
        made.put("op", op);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(new byte[] {0, 0, 0, 0, 7});
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<GenericData.Record>(writer).write(made, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    @Test
    void changes() throws IOException {
        Decoder full = decoder("");
        assertEquals("+I 1,a", JsonChangesTest.shown(full, message(null, row(1, "a"), "c")));
        assertEquals("+I 1,null", JsonChangesTest.shown(full, message(null, row(1, null), "r")));
        assertEquals("-U 1,a; +U 1,b", JsonChangesTest.shown(full, message(row(1, "a"), row(1, "b"), "u")));
        assertEquals("-D 1,b", JsonChangesTest.shown(full, message(row(1, "b"), null, "d")));
        assertEquals("", JsonChangesTest.shown(full, message(null, null, "t")));
        assertEquals("", JsonChangesTest.shown(full, new byte[0]));
        String error = JsonChangesTest.shown(full, message(null, row(1, "b"), "u"));
        assertTrue(error.startsWith("error: Can't deserialize Debezium Avro message. The \"before\" field of UPDATE"), error);
        error = JsonChangesTest.shown(full, message(null, null, "x"));
        assertTrue(error.contains("Unknown \"op\" value \"x\"."), error);
        error = JsonChangesTest.shown(full, message(null, null, "c"));
        assertTrue(error.contains("The field \"after\" is null."), error);
        error = JsonChangesTest.shown(full, new byte[] {0, 0, 0, 0, 7, 2});
        assertTrue(error.contains("ends within its record"), error);
    }

    @Test
    void changesByKey() throws IOException {
        Decoder keyed = decoder("envelope.key=[\"id\"], envelope.unchanged=true");
        assertEquals("+U null,1,b", JsonChangesTest.shown(keyed, message(null, row(1, "b"), "u")));
        assertEquals("+U null,1,b", JsonChangesTest.shown(keyed, message(row(1, "a"), row(1, "b"), "u")));
        assertEquals("-U null,1,a; +U null,2,b", JsonChangesTest.shown(keyed, message(row(1, "a"), row(2, "b"), "u")));
        String unavailable = "__debezium_unavailable_value";
        assertEquals("+U [name],1,null", JsonChangesTest.shown(keyed, message(null, row(1, unavailable), "u")));
        assertEquals("+U null,1,a", JsonChangesTest.shown(keyed, message(row(1, "a"), row(1, unavailable), "u")));
    }

    @Test
    void writtenAndReadBack() {
        FlinkEncoder encoder = (FlinkEncoder) Described.encoder("debezium-avro-confluent",
            Described.columns(COLUMNS), options(""));
        Decoder decoder = decoder("");
        for (String kind : new String[] {"+I", "-U", "+U", "-D"}) {
            Object[] row = {1, UTF8String.fromString("a"), UTF8String.fromString(kind)};
            String wanted = kind.startsWith("+") ? "+I 1,a" : "-D 1,a";
            assertEquals(wanted, JsonChangesTest.shown(decoder, encoder.row(new GenericInternalRow(row))));
        }
    }
}
