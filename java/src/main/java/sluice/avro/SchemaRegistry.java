package sluice.avro;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.entity.ContentType;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.errors.ConditionException;
import sluice.values.Settings;

/** A schema registry over HTTP. What it has said once it is not asked again. */
final class SchemaRegistry implements Serializable {
    private static final int LARGEST = 1 << 20; // bytes of an answer
    private static final int PATIENCE_MS = 10_000; // to connect, and for each part of an answer
    private static final Map<String, Object> KNOWN = new ConcurrentHashMap<>();
    private static final Logger LOG = LoggerFactory.getLogger(SchemaRegistry.class);
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "sluice-registry-limit");
        thread.setDaemon(true);
        return thread;
    });

    private final String url;
    private final String login; // null where there is none

    SchemaRegistry(Settings options) {
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

    private ConditionException missing(String reason) {
        return new ConditionException("SCHEMA_NOT_FOUND", Map.of("url", url, "reason", reason));
    }

    /**
     * It cannot be asked now. Why, is shown only for a host that the operator lists: of another one it would tell
     * whoever wrote its name what listens there.
     */
    private ConditionException away(String reason, Object detail) {
        LOG.warn("the schema registry {}: {} ({})", url, reason, detail);
        boolean shown = RemoteHosts.isListed(URI.create(url));
        String told = shown ? reason : "it does not answer as a registry does";
        return new ConditionException("SCHEMA_REGISTRY_UNREACHABLE", Map.of("url", url, "reason", told));
    }

    /** What it answers; null if there is no such thing. */
    private JsonNode ask(String path, String body) {
        HttpUriRequest request = body == null ? new HttpGet(url + path) : new HttpPost(url + path);
        request.setHeader("Accept", "application/vnd.schemaregistry.v1+json");
        if (login != null) request.setHeader("Authorization", login);
        if (request instanceof HttpPost) {
            ContentType type = ContentType.create("application/vnd.schemaregistry.v1+json", StandardCharsets.UTF_8);
            ((HttpPost) request).setEntity(new StringEntity(body, type));
        }
        ScheduledFuture<?> limit = TIMER.schedule(request::abort, 2 * PATIENCE_MS, TimeUnit.MILLISECONDS);
        try (CloseableHttpClient client = client(RemoteHosts.isListed(request.getURI()))) {
            RemoteHosts.check(request.getURI());
            try (CloseableHttpResponse answer = client.execute(request)) {
                InputStream in = answer.getEntity() == null ? null : answer.getEntity().getContent();
                byte[] said = in == null ? new byte[0] : in.readNBytes(LARGEST);
                request.abort(); // what else it sends is not read
                return read(answer.getStatusLine().getStatusCode(), said, body);
            }
        } catch (RemoteHosts.Refused refused) {
            throw new ConditionException("UNACCEPTABLE_URL", Map.of("host", url, "reason", refused.getMessage()));
        } catch (IOException bad) {
            String said = bad.getMessage();
            throw away(said == null || request.isAborted() ? "it does not answer in time" : said, bad);
        } finally {
            limit.cancel(false);
        }
    }

    /** A client that connects to checked addresses alone, and follows nobody elsewhere. */
    private static CloseableHttpClient client(boolean listed) {
        RequestConfig config = RequestConfig.custom().setConnectTimeout(PATIENCE_MS).setSocketTimeout(PATIENCE_MS)
            .setRedirectsEnabled(false).setAuthenticationEnabled(false).build();
        return HttpClients.custom().setDefaultRequestConfig(config).setDnsResolver(host -> RemoteHosts.resolve(host, listed))
            .disableRedirectHandling().disableAutomaticRetries().disableCookieManagement().build();
    }

    private JsonNode read(int status, byte[] said, String body) {
        if (status == 404) return null;
        if (status == 409 || status == 422) throw missing("Could not register schema in registry");
        if (status == 401 || status == 403) throw away("it refuses the login", status);
        if (status != 200) throw away("it answers with an error", status);
        try {
            JsonNode found = new ObjectMapper().readTree(new String(said, StandardCharsets.UTF_8));
            if (!found.path(body == null ? "schema" : "id").isMissingNode()) return found;
        } catch (JsonProcessingException bad) {
            // it is no registry that answered
        }
        throw away("the answer is not a registry's", status);
    }
}
