package sluice.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.errors.ConditionException;
import sluice.registry.RegisteredSchema.Reference;
import sluice.values.Settings;

/**
 * A schema registry with Confluent's protocol. What it has said once of an id it is not asked again; what it could
 * not say is asked again by whoever needs it next.
 *
 * <p>Methods throw a {@link ConditionException}: SCHEMA_NOT_FOUND, SCHEMA_REJECTED, or, where asking later may help,
 * SCHEMA_REGISTRY_UNREACHABLE. None shows a password or a token.
 */
public final class SchemaRegistry implements Serializable {
    /** The newest version of a subject, for {@link #version}. */
    public static final int LATEST = -1;

    private static final Logger LOG = LoggerFactory.getLogger(SchemaRegistry.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ENTRIES = 10_000, MOST_REFERENCES = 1_000, DEEPEST = 50, SHOWN = 1_000,
        LONGEST_PAUSE_MS = 10_000;
    private static final long CHARACTERS = 64L << 20;
    private static final Remembered<RegisteredSchema> SCHEMAS =
        new Remembered<>(ENTRIES, CHARACTERS, RegisteredSchema::length);
    private static final Remembered<Integer> IDS = new Remembered<>(ENTRIES, CHARACTERS, id -> 0);

    private final RegistryOptions options;
    private final String key;
    private volatile int first; // the address that has answered last

    public SchemaRegistry(Settings settings) {
        options = RegistryOptions.of(settings);
        key = options.key();
    }

    /** The schema with an id. */
    public RegisteredSchema schema(int id) {
        RegisteredSchema found = find(id);
        if (found == null) throw missing("Could not find schema with id " + id + " in registry");
        return found;
    }

    /** The schema with an id; null if the registry says that there is none. */
    public RegisteredSchema find(int id) {
        return SCHEMAS.get(key + "id " + id, () -> {
            JsonNode answer = ask("/schemas/ids/" + id, null, "schema").found();
            return answer == null ? null : new References().schema(answer, 0);
        });
    }

    /** A version of a subject, which may be LATEST. */
    public RegisteredSchema version(String subject, int version) {
        Said said = ask(versioned(subject, version), null, "schema");
        if (said.found() == null) {
            throw missing("Could not find " + (version == LATEST ? "a schema" : "version " + version)
                + " of the subject " + subject + " in registry");
        }
        return new References().schema(said.found(), 0);
    }

    /** The id of a schema without references, which is registered under a subject if it may be and is not yet. */
    public int id(String subject, String type, String text, boolean register) {
        return id(subject, new RegisteredSchema(type, text, List.of()), register);
    }

    /** The id of a schema, which is registered under a subject if it may be and is not yet. */
    public int id(String subject, RegisteredSchema schema, boolean register) {
        String body = body(schema);
        return IDS.get(key + subject + "\n" + register + body, () -> {
            String path = "/subjects/" + encoded(subject);
            Said said = ask(register ? path + "/versions" : path, body, "id");
            if (said.found() == null) throw missing("The schema is not registered as " + subject);
            if (said.words() != null) {
                throw new ConditionException("SCHEMA_REJECTED",
                    Map.of("subject", subject, "url", options.places().get(first).url(), "reason", said.words()));
            }
            return said.found().path("id").asInt();
        });
    }

    private static String body(RegisteredSchema schema) {
        ObjectNode body = JSON.createObjectNode().put("schema", schema.text);
        if (!schema.type.equals(RegisteredSchema.AVRO)) body.put("schemaType", schema.type);
        if (!schema.references.isEmpty()) {
            ArrayNode references = body.putArray("references");
            for (Reference each : schema.references) {
                references.addObject().put("name", each.name()).put("subject", each.subject())
                    .put("version", each.version());
            }
        }
        return body.toString();
    }

    private static String versioned(String subject, int version) {
        return "/subjects/" + encoded(subject) + "/versions/" + (version == LATEST ? "latest" : version);
    }

    private static String encoded(String subject) {
        return URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Finds what schemas refer to, each once, as many and as deep as anybody needs. */
    private final class References {
        private final Map<String, RegisteredSchema> known = new HashMap<>();
        private int count;

        RegisteredSchema schema(JsonNode answer, int depth) {
            List<Reference> found = new ArrayList<>();
            for (JsonNode each : answer.path("references")) {
                found.add(reference(each.path("name").asText(), each.path("subject").asText(),
                    each.path("version").asInt(), depth + 1));
            }
            return new RegisteredSchema(answer.path("schemaType").asText(RegisteredSchema.AVRO),
                answer.path("schema").asText(), found);
        }

        private Reference reference(String name, String subject, int version, int depth) {
            if (depth > DEEPEST || ++count > MOST_REFERENCES) {
                throw missing("A schema refers to more than " + MOST_REFERENCES + " others, or " + DEEPEST + " levels deep");
            }
            String place = versioned(subject, version);
            RegisteredSchema schema = known.get(place);
            if (schema == null) {
                JsonNode answer = ask(place, null, "schema").found();
                if (answer == null) throw missing("A schema refers to version " + version + " of " + subject + ", which is not");
                schema = schema(answer, depth);
                known.put(place, schema);
            }
            return new Reference(name, subject, version, schema);
        }
    }

    private ConditionException missing(String reason) {
        String url = options.places().get(first).url();
        return new ConditionException("SCHEMA_NOT_FOUND", Map.of("url", url, "reason", reason));
    }

    /** An answer: what was {@code found}, null for nothing; or a refusal in the registry's own {@code words}. */
    private record Said(JsonNode found, String words) {}

    /** An address does not answer as a registry does; {@code again}: asking it soon may help. */
    private static final class Away extends Exception {
        final transient ConditionException told;
        final boolean again;

        Away(ConditionException told, boolean again) {
            super(told.getMessage(), null, false, false);
            this.told = told;
            this.again = again;
        }
    }

    /** Ask, as often as the options say if nobody answers. */
    private Said ask(String path, String body, String wanted) {
        for (int attempt = 0;; attempt++) {
            try {
                return askOnce(path, body, wanted);
            } catch (Away away) {
                if (!away.again || attempt >= options.retries()) throw away.told;
                pause(Math.min((long) options.backoffMs() << attempt, LONGEST_PAUSE_MS), away.told);
            }
        }
    }

    private static void pause(long millis, ConditionException failed) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw failed;
        }
    }

    /** Ask its addresses one after another, beginning with the one that answered last. */
    private Said askOnce(String path, String body, String wanted) throws Away {
        Away failed = null;
        int count = options.places().size();
        int from = first;
        for (int i = 0; i < count; i++) {
            int at = (from + i) % count;
            try {
                Said said = ask(options.places().get(at), path, body, wanted);
                first = at;
                return said;
            } catch (Away away) {
                failed = away;
            }
        }
        throw failed;
    }

    private Said ask(RegistryOptions.Place place, String path, String body, String wanted) throws Away {
        try {
            Said said = read(place, Transport.ask(options, place, path, body), wanted);
            if (said.words() != null && body == null) throw missing(said.words()); // it has none that can be had
            return said;
        } catch (RemoteHosts.Refused refused) {
            throw new ConditionException("UNACCEPTABLE_URL", Map.of("host", place.url(), "reason", refused.getMessage()));
        } catch (IOException bad) {
            String said = place.url().startsWith("https:") ? ClientTls.words(bad) : bad.getMessage();
            throw away(place, said == null ? "it does not answer" : said, bad);
        }
    }

    private Said read(RegistryOptions.Place place, Transport.Answer answer, String wanted) throws Away {
        int status = answer.status();
        if (status == 401 || status == 403) throw away(place, REFUSED, status);
        if (status != 200 && status != 404 && status != 409 && status != 422) {
            throw away(place, "it answers with an error", status);
        }
        JsonNode found = null;
        try {
            found = JSON.readTree(answer.said());
        } catch (JsonProcessingException none) {
            // it is no registry that answered
        }
        if (found == null || !found.isObject()) throw away(place, "the answer is not a registry's", status);
        if (status == 404) return new Said(null, null);
        if (status != 200) return new Said(found, shortened(found.path("message").asText("it says no more")));
        if (found.path(wanted).isMissingNode()) throw away(place, "the answer is not a registry's", status);
        return new Said(found, null);
    }

    private static final String REFUSED = "it refuses the login";

    private static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN);
    }

    /**
     * It cannot be asked now. Why, is shown only for a host that the operator lists: of another one it would tell
     * whoever wrote its name what listens there.
     */
    private static Away away(RegistryOptions.Place place, String reason, Object detail) {
        LOG.warn("the schema registry {}: {} ({})", place.url(), reason, detail);
        boolean shown = reason.equals(REFUSED) || RemoteHosts.isListed(URI.create(place.url()));
        String told = shown ? reason : "it does not answer as a registry does";
        var condition = new ConditionException("SCHEMA_REGISTRY_UNREACHABLE", Map.of("url", place.url(), "reason", told));
        return new Away(condition, !reason.equals(REFUSED));
    }
}
