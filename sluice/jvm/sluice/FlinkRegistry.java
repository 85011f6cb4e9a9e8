package sluice;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/** A schema registry over HTTP. What it has said once it is not asked again. */
final class FlinkRegistry implements Serializable {
    private static final int LARGEST = 1 << 20; // bytes of an answer
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Map<String, Object> KNOWN = new ConcurrentHashMap<>();

    private final String url;
    private final String login; // null where there is none

    FlinkRegistry(Settings options) {
        URI given = URI.create(options.text("url"));
        String user = given.getUserInfo();
        String host = given.getHost() + (given.getPort() < 0 ? "" : ":" + given.getPort());
        url = given.getScheme() + "://" + host + given.getPath().replaceAll("/+$", "");
        String named = options.textOrNull("basic-auth.user-info");
        String token = options.textOrNull("bearer-auth.token");
        String basic = named == null ? user : named;
        if (token != null) login = "Bearer " + token;
        else login = basic == null ? null : "Basic " + Base64.getEncoder()
            .encodeToString(basic.getBytes(StandardCharsets.UTF_8));
    }

    /** It cannot be asked now, or it has not what was asked for; the name of that comes first. */
    static final class Failed extends RuntimeException {
        Failed(String name, String url, String reason) {
            super(name + "(" + url + "): " + reason + ".");
        }
    }

    /** The schema that messages with an id were written with. */
    Schema schema(int id) {
        return (Schema) KNOWN.computeIfAbsent(key("id", String.valueOf(id)), key -> {
            JsonNode answer = ask("/schemas/ids/" + id, null);
            if (answer == null) throw missing("Could not find schema with id " + id + " in registry");
            try {
                return new Schema.Parser().parse(answer.path("schema").asText());
            } catch (RuntimeException bad) { // its parser has several
                throw missing("Schema " + id + " is none of Avro's");
            }
        });
    }

    /** The id of a schema, which is registered under a subject if it may be and is not yet. */
    int id(String subject, String schema, boolean register) {
        return (Integer) KNOWN.computeIfAbsent(key(subject, register + schema), key -> {
            String path = "/subjects/" + URLEncoder.encode(subject, StandardCharsets.UTF_8);
            String body = new ObjectMapper().createObjectNode().put("schema", schema).toString();
            JsonNode answer = ask(register ? path + "/versions" : path, body);
            if (answer == null) throw missing("The schema is not registered as " + subject);
            return answer.path("id").asInt();
        });
    }

    private String key(String what, String which) {
        return String.join("\n", url, String.valueOf(login), what, which);
    }

    private Failed missing(String reason) {
        return new Failed("SCHEMA_NOT_FOUND", url, reason);
    }

    private Failed away(String reason) {
        return new Failed("SCHEMA_REGISTRY_UNREACHABLE", url, reason);
    }

    /** What it answers; null if there is no such thing. */
    private JsonNode ask(String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(PATIENCE)
            .header("Accept", "application/vnd.schemaregistry.v1+json");
        if (login != null) request.header("Authorization", login);
        if (body != null) {
            request.header("Content-Type", "application/vnd.schemaregistry.v1+json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        }
        HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE)
            .followRedirects(HttpClient.Redirect.NEVER).build();
        try {
            HttpResponse<InputStream> answer =
                client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            byte[] said;
            try (InputStream in = answer.body()) {
                said = in.readNBytes(LARGEST);
            }
            return read(answer.statusCode(), said, body);
        } catch (IOException bad) {
            String said = bad.getMessage();
            throw away(said == null ? bad.getClass().getSimpleName() : said);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw away("interrupted");
        }
    }

    private JsonNode read(int status, byte[] said, String body) {
        if (status == 404) return null;
        if (status == 409 || status == 422) {
            throw missing("Could not register schema in registry: HTTP " + status);
        }
        if (status != 200) throw away("HTTP " + status);
        try {
            JsonNode found = new ObjectMapper().readTree(new String(said, StandardCharsets.UTF_8));
            if (!found.path(body == null ? "schema" : "id").isMissingNode()) return found;
        } catch (JsonProcessingException bad) {
            // it is no registry that answered
        }
        throw away("the answer is not a registry's");
    }
}
