package sluice.avro;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.Described;
import sluice.errors.ConditionException;
import sluice.scan.BadValue;
import sluice.values.Settings;

/** The frame around a record, and what a registry is asked; the registry is an HTTP server of this test. */
class ConfluentAvroTest {
    private static final String COLUMNS = Described.columns("i Nullable(Int32); s Nullable(String)");
    private static final InternalRow ROW = new GenericInternalRow(new Object[] {7, UTF8String.fromString("x")});

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile int status = 200;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String schema = AvroSchema.of(COLUMNS, false).toString();
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            asked.add(exchange.getRequestMethod() + " " + path);
            boolean known = !path.endsWith("/404");
            String answer = new ObjectMapper().createObjectNode().put("schema", schema).put("id", 5).toString();
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(known ? status : 404, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        allow("=127.0.0.1");
    }

    @AfterEach
    void stop() {
        server.stop(0);
        System.clearProperty("sluice.remote_url_allow_hosts");
    }

    private static void allow(String list) {
        System.setProperty("sluice.remote_url_allow_hosts", list);
    }

    private Settings options() {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        return new Settings(Described.with("{\"subject\": \"a b\", \"auto.register.schemas\": true, "
            + "\"timestamp_mapping.legacy\": false}", "url=\"" + url + "\""));
    }

    private String read(byte[] message) {
        Object[] row = ((GenericInternalRow) new ConfluentAvro.Read(COLUMNS, options()).row(message)).values();
        return row[0] != null ? "error: " + row[0] : Arrays.toString(row);
    }

    @Test
    void framedAndReadBack() {
        byte[] message = new ConfluentAvro.Write(COLUMNS, options()).row(ROW);
        assertArrayEquals(new byte[] {0, 0, 0, 0, 5}, Arrays.copyOf(message, 5));
        assertEquals("[null, 7, x]", read(message));
        assertEquals("[null, 7, x]", read(message));
        assertEquals(List.of("POST /subjects/a%20b/versions", "GET /schemas/ids/5"), asked); // each once
        message[0] = 1;
        assertTrue(read(message).contains("Magic number does not match"));
        assertTrue(read(new byte[4]).contains("The message ends within its record"));
        assertTrue(read(Arrays.copyOf(new byte[] {0, 0, 0, 0, 5, 2}, 6)).contains("ends within its record"));
    }

    @ParameterizedTest
    @CsvSource({"200, 404, SCHEMA_NOT_FOUND", "500, 5, SCHEMA_REGISTRY_UNREACHABLE",
        "401, 5, SCHEMA_REGISTRY_UNREACHABLE"})
    void whatTheRegistryRefuses(int status, int id, String condition) {
        this.status = status;
        byte[] message = {0, 0, 0, (byte) (id >> 8), (byte) id};
        assertEquals(condition, assertThrows(ConditionException.class, () -> read(message)).condition());
    }

    @Test
    void aHostThatIsNotAllowedIsNotAsked() {
        allow("=other.example");
        var refused = assertThrows(ConditionException.class, () -> read(new byte[] {0, 0, 0, 0, 5}));
        assertEquals("UNACCEPTABLE_URL", refused.condition());
        assertTrue(asked.isEmpty());
    }

    @Test
    void itemsAndCountsAreBounded() {
        byte[] many = new byte[3_000];
        for (int i = 0; i < many.length; i += 3) System.arraycopy(new byte[] {(byte) 0x80, (byte) 0x10, 0}, 0, many, i, 2);
        AvroBytes items = new AvroBytes(many, 0);
        assertThrows(BadValue.class, () -> {
            for (int i = 0; i < 100; i++) items.arrayNext(); // each of them has fewer than are left
        });
        byte[] claimed = {-2, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        assertThrows(BadValue.class, () -> new AvroBytes(claimed, 0).skipArray());
        assertThrows(BadValue.class, () -> new AvroBytes(claimed, 0).readMapStart());
    }
}
