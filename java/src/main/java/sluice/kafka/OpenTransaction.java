package sluice.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The open transaction that keeps readers of committed messages from what comes after it. */
public final class OpenTransaction {
    private OpenTransaction() {}

    /**
     * The transaction that begins at the last stable offset of a partition.
     *
     * <p>`producer` and `seen` (its last message, in milliseconds) are what the partition's leader
     * knows; `id`, `since` and `timeout` what the coordinator knows, which a hanging transaction may
     * not be known to. Whatever the brokers do not tell, or not to this user, is absent.
     */
    public static Map<String, Object> at(Map<String, String> properties, String topic, int partition, long offset) {
        Map<String, Object> found = new HashMap<>();
        TopicPartition place = new TopicPartition(topic, partition);
        try (Admin admin = Admin.create(new HashMap<String, Object>(properties))) {
            for (ProducerState each : Transactions.answer(
                    admin.describeProducers(List.of(place)).partitionResult(place)).activeProducers()) {
                if (each.currentTransactionStartOffset().orElse(-1) == offset) {
                    found.put("producer", each.producerId());
                    found.put("seen", each.lastTimestamp());
                    describe(admin, each.producerId(), found);
                }
            }
        } catch (KafkaException untold) {
            return found;
        }
        return found;
    }

    private static void describe(Admin admin, long producer, Map<String, Object> found) {
        var own = new ListTransactionsOptions().filterProducerIds(Set.of(producer));
        for (TransactionListing each : Transactions.answer(admin.listTransactions(own).all())) {
            String id = each.transactionalId();
            found.put("id", id);
            TransactionDescription told = Transactions.answer(admin.describeTransactions(List.of(id)).description(id));
            told.transactionStartTimeMs().ifPresent(since -> found.put("since", since));
            found.put("timeout", told.transactionTimeoutMs());
        }
    }
}
