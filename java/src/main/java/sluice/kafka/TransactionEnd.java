package sluice.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * The END event of a source transaction in Debezium's transaction topic.
 *
 * @param id the transaction, as the event has it
 * @param events how many events each data collection has in it
 */
record TransactionEnd(String id, Map<String, Long> events) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The END of a message; null for BEGIN, a tombstone, and whatever else is in the topic. */
    static TransactionEnd of(byte[] message) {
        JsonNode event;
        try {
            event = JSON.readTree(message == null ? new byte[0] : message);
        } catch (IOException other) {
            return null;
        }
        if (event.path("payload").isObject()) {
            event = event.get("payload");
        }
        if (!event.path("status").asText().equals("END") || !event.hasNonNull("id")) {
            return null;
        }
        Map<String, Long> counts = new TreeMap<>();
        for (JsonNode each : event.path("data_collections")) {
            counts.merge(each.path("data_collection").asText(), each.path("event_count").asLong(), Long::sum);
        }
        return new TransactionEnd(event.get("id").asText(), counts);
    }

    /**
     * How many of its events are in these topics.
     *
     * <p>A topic is called like its data collection, after the connector's prefix; a connector's
     * router may have taken that prefix off, or the collection's first part with it.
     */
    long in(Collection<String> topics) {
        long exact = in(topics, TransactionEnd::named);
        return exact > 0 ? exact : in(topics, TransactionEnd::routed);
    }

    private long in(Collection<String> topics, BiPredicate<String, String> match) {
        long found = 0;
        for (Map.Entry<String, Long> each : events.entrySet()) {
            if (topics.stream().anyMatch(topic -> match.test(topic, topicName(each.getKey())))) {
                found += each.getValue();
            }
        }
        return found;
    }

    /** Debezium puts _ for characters that no topic's name has. */
    private static String topicName(String collection) {
        return collection.replaceAll("[^A-Za-z0-9._-]", "_");
    }

    private static boolean named(String topic, String collection) {
        return topic.equals(collection) || topic.endsWith("." + collection);
    }

    private static boolean routed(String topic, String collection) {
        return collection.endsWith("." + topic.substring(topic.indexOf('.') + 1));
    }
}
