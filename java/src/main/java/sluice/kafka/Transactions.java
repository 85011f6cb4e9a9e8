package sluice.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import sluice.errors.ConditionException;

/** Questions to the brokers about transactions, and what is told of them by their markers. */
final class Transactions {
    private static final String OWNER = ".owner";
    private static final String LONGEST = "transaction.max.timeout.ms";
    private static final Set<TransactionState> PENDING = Set.of(
        TransactionState.ONGOING, TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT);

    private Transactions() {}

    /** The batch that a task has to write next, as its marker tells; 0 if there is none. */
    static long next(Map<String, Object> properties, String group, String topic) {
        try (Admin admin = Admin.create(properties)) {
            OffsetAndMetadata marker = committed(admin, group, topic);
            return marker == null ? 0 : marker.offset();
        }
    }

    /** Fail if another server than {@code owner} has claimed a sink. */
    static void checkOwner(Map<String, Object> properties, String group, String topic, String owner) {
        try (Admin admin = Admin.create(properties)) {
            String found = owner(admin, group, topic);
            if (!found.isEmpty() && !found.equals(owner)) {
                throw new ConditionException("SINK_OWNED_BY_ANOTHER_SERVER", Map.of("owner", found));
            }
        }
    }

    /** The server that has claimed a sink; the empty text for none. */
    static String owner(Admin admin, String group, String topic) {
        OffsetAndMetadata claim = committed(admin, group + OWNER, topic);
        return claim == null ? "" : claim.metadata();
    }

    /** Claim a sink for a server, then fence the producers of all tasks that have written to it. */
    static void claim(
            Admin admin, Map<String, Object> properties, String group, String name, String topic, String owner) {
        var place = new TopicPartition(topic, 0);
        var claim = Map.of(place, new OffsetAndMetadata(0, owner));
        answer(admin.alterConsumerGroupOffsets(group + OWNER, claim).partitionResult(place));
        written(admin, group, topic).keySet().forEach(task -> end(properties, name + "-" + task));
    }

    private static OffsetAndMetadata committed(Admin admin, String group, String topic) {
        var place = new TopicPartition(topic, 0);
        var spec = Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(place)));
        var stable = new ListConsumerGroupOffsetsOptions().requireStable(true);
        return answer(admin.listConsumerGroupOffsets(spec, stable).partitionsToOffsetAndMetadata(group)).get(place);
    }

    /** For each task that has written something: the batch, and what was noted with it. */
    static Map<Integer, Object[]> written(Admin admin, String group, String topic) {
        Map<String, Integer> groups = new HashMap<>();
        for (ConsumerGroupListing each : answer(admin.listConsumerGroups().valid())) {
            String rest = each.groupId().startsWith(group + ".") ? each.groupId().substring(group.length() + 1) : "";
            if (rest.matches("[0-9]{1,9}")) {
                groups.put(each.groupId(), Integer.parseInt(rest));
            }
        }
        Map<Integer, Object[]> written = new TreeMap<>();
        if (groups.isEmpty()) {
            return written;
        }
        Map<String, ListConsumerGroupOffsetsSpec> specs = new HashMap<>();
        groups.keySet().forEach(name -> specs.put(name, new ListConsumerGroupOffsetsSpec()));
        var stable = new ListConsumerGroupOffsetsOptions().requireStable(true);
        answer(admin.listConsumerGroupOffsets(specs, stable).all()).forEach((name, offsets) -> {
            OffsetAndMetadata marker = offsets.get(new TopicPartition(topic, 0));
            if (marker != null) {
                written.put(groups.get(name), new Object[] {marker.offset() - 1, marker.metadata()});
            }
        });
        return written;
    }

    /** The longest transaction that the brokers allow, in milliseconds; 0 if they do not tell. */
    static long longest(Admin admin) {
        try {
            for (Node node : answer(admin.describeCluster().nodes())) {
                var broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
                var entry = answer(admin.describeConfigs(List.of(broker)).all()).get(broker).get(LONGEST);
                return entry == null ? 0 : Long.parseLong(entry.value());
            }
        } catch (AuthorizationException | UnsupportedVersionException untold) {
            return 0; // it will be told with the first transaction
        }
        return 0;
    }

    /** The names of open transactions that match a pattern. */
    static List<String> pending(Admin admin, Pattern names) {
        List<String> found = new ArrayList<>();
        try {
            var open = new ListTransactionsOptions().filterStates(PENDING);
            for (TransactionListing each : answer(admin.listTransactions(open).all())) {
                if (names.matcher(each.transactionalId()).matches()) {
                    found.add(each.transactionalId());
                }
            }
        } catch (AuthorizationException | UnsupportedVersionException untold) {
            return found; // then each ends when its task begins again, or by its timeout
        }
        return found;
    }

    /** End an open transaction: a new producer with its id fences the old one. */
    static void end(Map<String, Object> properties, String name) {
        Map<String, Object> own = new HashMap<>(properties);
        own.put("transactional.id", name);
        Producers.Pooled pooled = new Producers.Pooled(name, own);
        try {
            pooled.producer.initTransactions();
        } finally {
            pooled.drop();
        }
    }

    /** The answer to a question; the client has a deadline for each. */
    static <T> T answer(KafkaFuture<T> asked) {
        try {
            return asked.get();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new KafkaException(stop);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof KafkaException) {
                throw (KafkaException) failed.getCause();
            }
            throw new KafkaException(failed.getCause());
        }
    }
}
