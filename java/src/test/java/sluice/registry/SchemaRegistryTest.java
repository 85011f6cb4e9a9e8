package sluice.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.errors.ConditionException;
import sluice.values.Settings;

/** What a registry is asked, and what becomes of its answers. */
class SchemaRegistryTest {
    private static final String UNREACHABLE = "SCHEMA_REGISTRY_UNREACHABLE";

    private record Answer(int status, String said) {}

    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> logins = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            asked.add(path + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            logins.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            Answer answer = answers.getOrDefault(path, new Answer(404, "{\"error_code\": 40403}"));
            byte[] bytes = answer.said.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/");
            exchange.sendResponseHeaders(answer.status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        System.setProperty(RemoteHosts.LIST, "=127.0.0.1");
    }

    @AfterEach
    void stop() {
        server.stop(0);
        System.clearProperty(RemoteHosts.LIST);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private SchemaRegistry registry(String more) {
        return at(url() + more);
    }

    private static SchemaRegistry at(String url) {
        return new SchemaRegistry(new Settings("{\"url\": \"" + url + "\"}"));
    }

    private void answer(String path, int status, String said) {
        answers.put(path, new Answer(status, said));
    }

    private static ConditionException failure(Runnable asks) {
        return assertThrows(ConditionException.class, asks::run);
    }

    @Test
    void aSchemaWithReferences() {
        answer("/schemas/ids/1", 200, "{\"schema\": \"top\", \"schemaType\": \"PROTOBUF\", \"references\": ["
            + "{\"name\": \"a.proto\", \"subject\": \"a b\", \"version\": 2},"
            + "{\"name\": \"c.proto\", \"subject\": \"c\", \"version\": 1}]}");
        answer("/subjects/a%20b/versions/2", 200, "{\"id\": 7, \"schema\": \"a\", \"references\": ["
            + "{\"name\": \"c.proto\", \"subject\": \"c\", \"version\": 1}]}");
        answer("/subjects/c/versions/1", 200, "{\"id\": 8, \"schema\": \"c\"}");
        RegisteredSchema found = registry("").schema(1);
        assertEquals("PROTOBUF", found.type);
        assertEquals(List.of("c.proto", "a.proto"), List.copyOf(found.dependencies().keySet()));
        assertEquals("c", found.dependencies().get("c.proto").text);
        assertEquals(3, asked.size()); // each once
        assertSame(found, registry("/").schema(1));
        assertEquals(3, asked.size());
    }

    @Test
    void aSchemaOfJsonWithReferences() {
        answer("/subjects/t-value/versions/latest", 200, "{\"id\": 1, \"schema\": \"top\", \"schemaType\": \"JSON\", \"references\": ["
            + "{\"name\": \"a.json\", \"subject\": \"a\", \"version\": 2}]}");
        answer("/subjects/a/versions/2", 200, "{\"id\": 7, \"schema\": \"a\", \"schemaType\": \"JSON\"}");
        answer("/subjects/avro/versions/latest", 200, "{\"id\": 2, \"schema\": \"string\"}");
        String settings = "{\"url\": \"" + url() + "\"}";
        assertEquals(List.of("top", "a.json", "a"), List.of(JsonSchema.newest(settings, "t-value")));
        assertEquals(0, JsonSchema.newest(settings, "avro").length);
    }

    @Test
    void aSchemaThatRefersToItself() {
        String itself = "{\"schema\": \"x\", \"references\": [{\"name\": \"x\", \"subject\": \"x\", \"version\": 1}]}";
        answer("/schemas/ids/1", 200, itself);
        answer("/subjects/x/versions/1", 200, itself);
        ConditionException deep = failure(() -> registry("").schema(1));
        assertTrue(deep.getMessage().contains("levels deep"), deep.getMessage());
        assertTrue(asked.size() < 100);
    }

    @Test
    void versionsOfASubject() {
        assertTrue(failure(() -> registry("").version("s", SchemaRegistry.LATEST)).getMessage()
            .contains("a schema of the subject s"));
        answer("/subjects/s/versions/latest", 200, "{\"id\": 3, \"schema\": \"{}\", \"schemaType\": \"JSON\"}");
        assertEquals("JSON", registry("").version("s", SchemaRegistry.LATEST).type);
        answer("/subjects/s/versions/latest", 200, "{\"id\": 4, \"schema\": \"newer\"}");
        assertEquals("newer", registry("").version("s", SchemaRegistry.LATEST).text); // it may change at any time
    }

    @Test
    void registeredOnce() {
        answer("/subjects/s/versions", 200, "{\"id\": 9}");
        assertEquals(9, registry("").id("s", RegisteredSchema.AVRO, "\"int\"", true));
        assertEquals(9, registry("").id("s", RegisteredSchema.AVRO, "\"int\"", true));
        assertEquals(List.of("/subjects/s/versions{\"schema\":\"\\\"int\\\"\"}"), asked);
        var proto = new RegisteredSchema("PROTOBUF", "p", List.of(new RegisteredSchema.Reference("r", "q", 1, null)));
        registry("").id("s", proto, true);
        assertTrue(asked.get(1).contains("\"schemaType\":\"PROTOBUF\",\"references\":[{\"name\":\"r\""), asked.get(1));
    }

    @ParameterizedTest
    @CsvSource({"409, 'Schema being registered is incompatible with an earlier schema'", "422, Invalid schema"})
    void whatTheRegistrySaysOfASchema(int status, String words) {
        answer("/subjects/s/versions", status, "{\"error_code\": " + status + ", \"message\": \"" + words + "\"}");
        ConditionException rejected = failure(() -> registry("").id("s", RegisteredSchema.AVRO, "x", true));
        assertEquals("SCHEMA_REJECTED", rejected.condition());
        assertTrue(rejected.getMessage().contains(words));
        assertTrue(rejected.getMessage().contains("\"subject\":\"s\""));
    }

    @Test
    void aSchemaThatIsNotThereIsAskedForAgain() {
        assertTrue(failure(() -> registry("").schema(7)).getMessage().contains("with id 7"));
        assertNull(registry("").find(7));
        answer("/schemas/ids/7", 200, "{\"schema\": \"x\"}");
        assertEquals("x", registry("").find(7).text);
    }

    @ParameterizedTest
    @CsvSource({"401, {}", "403, {}", "500, {}", "503, <html>", "302, {}", "200, <html>", "404, <html>", "200, {}", "200, []", "429, {}"})
    void whatIsNoAnswer(int status, String said) {
        answer("/schemas/ids/1", status, said);
        var registry = at(url().replace("//", "//me:S3CR3T@"));
        ConditionException away = failure(() -> registry.schema(1));
        assertEquals(UNREACHABLE, away.condition());
        assertFalse(away.getMessage().contains("S3CR3T"));
        assertFalse(away.getMessage().contains("me:"));
        assertEquals(status == 401 || status == 403, away.getMessage().contains("refuses the login"));
        assertEquals(List.of("Basic bWU6UzNDUjNU"), logins);
    }

    @Test
    void severalAddresses() throws IOException {
        answer("/schemas/ids/1", 200, "{\"schema\": \"x\"}");
        int nobody;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = free.getLocalPort();
        }
        SchemaRegistry both = at("http://127.0.0.1:" + nobody + ", " + url());
        assertEquals("x", both.schema(1).text);
        assertNull(both.find(2)); // an answer, for which no other one is asked
        server.stop(0);
        assertEquals("x", both.schema(1).text); // known
        assertEquals(UNREACHABLE, failure(() -> both.schema(3)).condition());
    }

    @Test
    void aSlowOneIsGivenUp() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + silent.getLocalPort();
            var seconds = "\"format_avro_schema_registry_%s_timeout\": 1";
            SchemaRegistry slow = new SchemaRegistry(new Settings("{\"format_avro_schema_registry_url\": \"" + url + "\", "
                + String.join(", ", seconds.formatted("connection"), seconds.formatted("send"), seconds.formatted("receive")) + "}"));
            long before = System.nanoTime();
            assertEquals(UNREACHABLE, failure(() -> slow.schema(1)).condition());
            assertTrue(System.nanoTime() - before < 5_000_000_000L);
        }
    }

    @Test
    void askedAgainAsOftenAsClickHouseDoes() {
        var settings = new Settings("{\"format_avro_schema_registry_url\": \"" + url() + "\", "
            + "\"format_avro_schema_registry_connection_timeout\": 1, \"format_avro_schema_registry_send_timeout\": 1, "
            + "\"format_avro_schema_registry_receive_timeout\": 1, \"format_avro_schema_registry_max_retries\": 2, "
            + "\"format_avro_schema_registry_retry_initial_backoff_ms\": 1}");
        answer("/schemas/ids/1", 503, "{}");
        assertEquals(UNREACHABLE, failure(() -> new SchemaRegistry(settings).schema(1)).condition());
        assertEquals(3, asked.size());
        answer("/schemas/ids/1", 401, "{}");
        assertEquals(UNREACHABLE, failure(() -> new SchemaRegistry(settings).schema(1)).condition());
        assertEquals(4, asked.size());
    }

    @Test
    void anAnswerWithoutEnd() {
        answer("/schemas/ids/1", 200, "{\"schema\": \"" + "x".repeat(5 << 20) + "\"}");
        assertEquals(UNREACHABLE, failure(() -> registry("").schema(1)).condition());
    }

    @Test
    void subjects() {
        Settings none = new Settings("{\"subject\": \"t-value\", \"subject.topic\": \"t\"}");
        assertEquals("t-value", Subjects.of(none, "a.R"));
        for (String[] each : new String[][] {{"TopicNameStrategy", "t-value"}, {"RecordNameStrategy", "a.R"},
            {"TopicRecordNameStrategy", "t-a.R"}}) {
            Settings settings = new Settings("{\"subject\": \"t-value\", \"subject.topic\": \"t\", "
                + "\"subject.name.strategy\": \"" + each[0] + "\"}");
            assertEquals(each[1], Subjects.of(settings, "a.R"));
        }
    }
}
