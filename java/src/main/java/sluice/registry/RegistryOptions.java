package sluice.registry;

import java.io.Serializable;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import sluice.values.Settings;

/** Where a registry is, who asks it, and how long one waits for it, from a table's settings of either dialect. */
record RegistryOptions(List<Place> places, int connectMs, int answerMs, int retries, int backoffMs) implements Serializable {
    private static final int PATIENCE_MS = 10_000;
    private static final int LONGEST_S = 599, MOST_RETRIES = 20, LONGEST_BACKOFF_MS = 60_000; // ClickHouse's own limits

    /** One of its addresses, without a user, and the header Authorization for it, which may be null. */
    record Place(String url, String login) implements Serializable {
        @Override
        public String toString() {
            return url;
        }
    }

    static RegistryOptions of(Settings given) {
        String own = given.textOrNull("url");
        boolean flink = own != null;
        String urls = flink ? own : given.text("format_avro_schema_registry_url");
        String token = given.textOrNull("bearer-auth.token");
        String basic = given.textOrNull("basic-auth.user-info");
        List<Place> places = new ArrayList<>();
        for (String each : urls.split(",")) {
            if (!each.isBlank()) places.add(place(each.strip(), token, basic));
        }
        if (places.isEmpty()) throw new IllegalArgumentException("a schema registry needs a URL");
        if (flink) return new RegistryOptions(places, PATIENCE_MS, PATIENCE_MS, 0, 0);
        return new RegistryOptions(places, millis(given, "connection"),
            Math.max(millis(given, "send"), millis(given, "receive")),
            whole(given, "max_retries", MOST_RETRIES), whole(given, "retry_initial_backoff_ms", LONGEST_BACKOFF_MS));
    }

    private static int whole(Settings given, String which, int most) {
        String found = given.textOrNull("format_avro_schema_registry_" + which);
        return found == null ? 0 : Math.max(0, Math.min(Integer.parseInt(found), most));
    }

    private static int millis(Settings given, String which) {
        int seconds = given.number("format_avro_schema_registry_" + which + "_timeout");
        return 1000 * Math.max(1, Math.min(seconds, LONGEST_S));
    }

    private static Place place(String text, String token, String basic) {
        URI given = URI.create(text);
        String host = given.getHost() + (given.getPort() < 0 ? "" : ":" + given.getPort());
        String url = given.getScheme() + "://" + host + given.getPath().replaceAll("/+$", "");
        if (token != null) return new Place(url, "Bearer " + token);
        String login = basic == null ? given.getUserInfo() : basic;
        return new Place(url, login == null ? null : "Basic " + Base64.getEncoder()
            .encodeToString(login.getBytes(StandardCharsets.UTF_8)));
    }

    /** What tells it from another registry, or another user of it. */
    String key() {
        StringBuilder key = new StringBuilder();
        for (Place place : places) key.append(place.url).append('\n').append(place.login).append('\n');
        return key.toString();
    }
}
