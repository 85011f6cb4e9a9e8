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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.Described;
import sluice.decode.Decoder;
import sluice.flink.FlinkEncoder;

/** Debezium's envelope in Avro, with a schema as its converter registers it. */
class DebeziumAvroTest {
    private static final AtomicInteger TESTS = new AtomicInteger();
    private static final String COLUMNS = "id Int32; name Nullable(String)";
    private static final String SCHEMA = """
        {"type":"record","name":"Envelope","namespace":"server.inventory.products","fields":[
          {"name":"before","type":["null",{"type":"record","name":"Value","fields":[
            {"name":"id","type":"int"},{"name":"name","type":["null","string"],"default":null},
            {"name":"more","type":["null","string"],"default":null}]}],"default":null},
          {"name":"after","type":["null","Value"],"default":null},
          {"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"],"default":null}]}""";

    private final AtomicReference<String> registered = new AtomicReference<>(SCHEMA);
    private Schema writer = new Schema.Parser().parse(SCHEMA);
    private final int number = TESTS.incrementAndGet(); // schemas are kept by URL, and a port may come again
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
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/" + number;
        return Described.with("{\"subject\": \"s\", \"auto.register.schemas\": true, \"timestamp_mapping.legacy\": false}",
            "url=\"" + url + "\"" + (more.isEmpty() ? "" : ", " + more));
    }

    private Decoder decoder(String more) {
        return decoder(COLUMNS, more);
    }

    private Decoder decoder(String columns, String more) {
        return JsonChangesTest.copied(
            (Decoder) Described.decoder("debezium-avro-confluent", Described.columns(columns), options(more)));
    }

    /** Write events with another schema from now on: its rows have an id, a name and a column x of a type. */
    private void register(String type) {
        String schema = SCHEMA.replace("[\"null\",\"string\"],\"default\":null}]", type.replace('\'', '"') + "}]")
            .replace("\"more\"", "\"x\"");
        registered.set(schema);
        writer = new Schema.Parser().parse(schema);
    }

    /** An insert with a value of x, which is written as JSON; a nullable one names its type. */
    private byte[] inserted(String value) throws IOException {
        String row = "{'id':1,'name':{'string':'a'},'x':" + value + "}";
        String name = "server.inventory.products.Value";
        String event = "{'before':null,'after':{'" + name + "':" + row + "},'op':'c','ts_ms':null}";
        Object made = new GenericDatumReader<>(writer).read(null,
            DecoderFactory.get().jsonDecoder(writer, event.replace('\'', '"')));
        return encoded(made);
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
        return encoded(made);
    }

    private byte[] encoded(Object made) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(new byte[] {0, 0, 0, 0, 7});
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<>(writer).write(made, encoder);
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # type of the column | value | what is discovered
        'int' | 5 | INT32
        'long' | 5 | INT64
        'float' | 5 | FLOAT32
        'double' | 5 | FLOAT64
        'boolean' | true | BOOLEAN
        'string' | 'a' | STRING
        'bytes' | 'a' | BYTES
        ['null','long'] | {'long':5} | INT64
        ['null','long'] | null | null
        ['null','string'] | {'string':'__debezium_unavailable_value'} | null
        'bytes' | '__debezium_unavailable_value' | null
        ['null','long','string'] | {'long':5} | STRING
        {'type':'int','connect.type':'int8'} | 5 | INT8
        {'type':'int','connect.type':'int16'} | 5 | INT16
        {'type':'int','connect.name':'io.debezium.time.Date'} | 5 | DATE
        {'type':'int','logicalType':'date','connect.name':'org.apache.kafka.connect.data.Date'} | 5 | DATE
        {'type':'int','logicalType':'date'} | 5 | DATE
        {'type':'int','connect.name':'io.debezium.time.Time'} | 5 | INT32
        {'type':'long','connect.name':'io.debezium.time.Timestamp'} | 5 | TIMESTAMP
        {'type':'long','connect.name':'io.debezium.time.MicroTimestamp'} | 5 | TIMESTAMP
        {'type':'long','connect.name':'io.debezium.time.NanoTimestamp'} | 5 | INT64
        {'type':'long','logicalType':'timestamp-millis','connect.name':'org.apache.kafka.connect.data.Timestamp'} | 5 | TIMESTAMP
        {'type':'long','logicalType':'timestamp-millis'} | 5 | ZONED
        {'type':'long','logicalType':'timestamp-micros'} | 5 | ZONED
        {'type':'long','logicalType':'local-timestamp-millis'} | 5 | TIMESTAMP
        {'type':'long','logicalType':'local-timestamp-micros'} | 5 | TIMESTAMP
        {'type':'string','connect.name':'io.debezium.time.ZonedTimestamp'} | '2024-01-02T03:04:05Z' | ZONED
        {'type':'string','connect.name':'io.debezium.data.Json'} | '{}' | STRING
        {'type':'bytes','logicalType':'decimal','precision':10,'scale':2} | 'a' | DECIMAL(10,2)
        {'type':'bytes','logicalType':'decimal','precision':65,'scale':2} | 'a' | STRING
        {'type':'bytes','logicalType':'decimal','precision':64,'scale':2,'connect.name':'org.apache.kafka.connect.data.Decimal','connect.parameters':{'scale':'2'}} | 'a' | DECIMAL(38,2)
        {'type':'bytes','logicalType':'decimal','precision':10,'scale':2,'connect.name':'org.apache.kafka.connect.data.Decimal','connect.parameters':{'scale':'2','connect.decimal.precision':'10'}} | 'a' | DECIMAL(10,2)
        {'type':'fixed','name':'F','size':2,'logicalType':'decimal','precision':4,'scale':1} | 'aa' | DECIMAL(4,1)
        {'type':'fixed','name':'F','size':2} | 'aa' | BYTES
        {'type':'enum','name':'E','symbols':['A','B']} | 'B' | STRING
        {'type':'array','items':'int'} | [1] | STRING
        {'type':'map','values':'int'} | {'a':1} | STRING
        {'type':'record','name':'R','fields':[{'name':'a','type':'int'}]} | {'a':1} | STRING
        """)
    void typesOfNewColumns(String type, String value, String wanted) throws IOException {
        register(type);
        Decoder decoder = decoder("envelope.evolve=true, envelope.discover=true");
        String found = wanted == null || wanted.equals("null") ? "null" : "[" + wanted + " x]";
        assertEquals("+I " + found + ",1,a", JsonChangesTest.shown(decoder, inserted(value)));
    }

    @Test
    void timestampsOfTheOlderMapping() throws IOException {
        register("{'type':'long','logicalType':'timestamp-millis'}");
        Decoder decoder = decoder("envelope.evolve=true, envelope.discover=true, timestamp_mapping.legacy=true");
        assertEquals("+I [TIMESTAMP x],1,a", JsonChangesTest.shown(decoder, inserted("5")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # type that it was written with | value | type of the column | what is read, or error
        'int' | 5 | Int32 | 5
        'long' | 5 | Int64 | 5
        'long' | 2147483648 | Int32 | error
        'long' | 5 | String | 5
        'double' | 1.5 | Float64 | 1.5
        'double' | 1.5 | Int64 | error
        'float' | 0.1 | Float32 | 0.1
        'boolean' | true | Bool | true
        'boolean' | true | Int64 | error
        'string' | 'ä"' | String | ä"
        'string' | 'a' | Int64 | error
        'bytes' | 'a' | String | YQ==
        ['null','long'] | null | Int64 | null
        {'type':'int','connect.name':'io.debezium.time.Date'} | 5 | Date | 5
        {'type':'long','connect.name':'io.debezium.time.Timestamp'} | 5 | Local | 5000
        {'type':'long','connect.name':'io.debezium.time.MicroTimestamp'} | 5000 | Local | 5000
        {'type':'long','logicalType':'timestamp-micros'} | -5 | DateTime64(6) | -5
        {'type':'string','connect.name':'io.debezium.time.ZonedTimestamp'} | '1970-01-01T01:00:00.000005+01:00' | DateTime64(6) | 5
        {'type':'bytes','logicalType':'decimal','precision':10,'scale':2} | '09' | Decimal(10, 2) | 123.45
        {'type':'bytes','logicalType':'decimal','precision':10,'scale':3} | '09' | Decimal(10, 2) | error
        {'type':'bytes','logicalType':'decimal','precision':65,'scale':2} | '09' | String | 123.45
        {'type':'fixed','name':'F','size':2,'logicalType':'decimal','precision':4,'scale':2} | '09' | Decimal(5, 2) | 123.45
        {'type':'enum','name':'E','symbols':['A','B']} | 'B' | String | B
        {'type':'array','items':['null','int']} | [{'int':1},null] | String | [1,null]
        {'type':'map','values':'bytes'} | {'a':'a'} | String | {"a":"YQ=="}
        {'type':'record','name':'R','fields':[{'name':'a','type':['null','int']}]} | {'a':null} | String | {"a":null}
        """)
    void valuesOfNewColumns(String written, String value, String type, String wanted) throws IOException {
        register(written);
        String columns = COLUMNS + "; x Nullable(" + type + ")";
        String found = JsonChangesTest.shown(
            decoder(columns, "envelope.evolve=true, envelope.evolved=[\"x\"]"), inserted(value.replace("\"'", "\\\"'")));
        if (wanted.equals("error")) assertTrue(found.startsWith("error: Can't deserialize Debezium Avro message."), found);
        else assertEquals("+I 1,a," + wanted, found);
    }

    @Test
    void writersOfTwoSchemas() throws IOException {
        byte[] old = message(null, row(1, "a"), "c");
        Decoder evolved = decoder(COLUMNS + "; x Nullable(Int32)", "envelope.evolve=true, envelope.evolved=[\"x\"], "
            + "envelope.key=[\"id\"], envelope.unchanged=true");
        assertEquals("+I null,1,a,null", JsonChangesTest.shown(evolved, old));
        register("['null','int']");
        byte[] later = inserted("{'int':5}");
        later[4] = 8; // the number of the schema
        assertEquals("+I null,1,a,5", JsonChangesTest.shown(evolved, later));
        assertEquals("+I null,1,a,null", JsonChangesTest.shown(evolved, old));
    }

    @Test
    void refusedColumns() throws IOException {
        register("['null','int']");
        byte[] none = inserted("null");
        byte[] some = inserted("{'int':5}");
        Decoder fails = decoder("envelope.strict=true");
        assertEquals("+I 1,a", JsonChangesTest.shown(fails, none));
        assertEquals("error: Can't deserialize Debezium Avro message. The table has no column x.",
            JsonChangesTest.shown(fails, some));
        assertEquals("+I 1,a", JsonChangesTest.shown(decoder(""), some));
        Decoder refuses = decoder("envelope.evolve=true, envelope.refused=[\"\",\"x\",\"It is reserved.\"]");
        String error = JsonChangesTest.shown(refuses, some);
        assertTrue(error.endsWith("Column x cannot be added. It is reserved."), error);
        assertEquals("+I 1,a", JsonChangesTest.shown(refuses, none));
    }

    @Test
    void unavailableValuesOfNewColumns() throws IOException {
        register("['null','string']");
        Decoder keyed = decoder(COLUMNS + "; x Nullable(String)", "envelope.evolve=true, envelope.evolved=[\"x\"], "
            + "envelope.key=[\"id\"], envelope.unchanged=true");
        GenericData.Record kept = row(1, "b");
        kept.put("x", "__debezium_unavailable_value");
        assertEquals("+U [x],1,b,null", JsonChangesTest.shown(keyed, message(null, kept, "u")));
        GenericData.Record old = row(1, "a");
        old.put("x", "y");
        assertEquals("+U null,1,b,y", JsonChangesTest.shown(keyed, message(old, kept, "u")));
        assertEquals("-D null,1,a,y", JsonChangesTest.shown(keyed, message(old, null, "d")));
    }

    @Test
    void valuesThatContainThemselves() throws IOException {
        register("['null',{'type':'record','name':'R','fields':[{'name':'r','type':['null','R']}]}]");
        Decoder decoder = decoder(COLUMNS + "; x Nullable(String)", "envelope.evolve=true, envelope.evolved=[\"x\"]");
        String name = "server.inventory.products.R";
        String inner = ("{'" + name + "':{'r':").repeat(2) + "null" + "}}".repeat(2);
        assertEquals("+I 1,a,{\"r\":{\"r\":null}}", JsonChangesTest.shown(decoder, inserted(inner)));
        String deep = ("{'" + name + "':{'r':").repeat(200) + "null" + "}}".repeat(200);
        String error = JsonChangesTest.shown(decoder, inserted(deep));
        assertTrue(error.contains("nested more than 100 times"), error);
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
