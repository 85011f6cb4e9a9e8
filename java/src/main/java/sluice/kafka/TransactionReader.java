package sluice.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a table's partitions ahead of its batches, and Debezium's transaction topic, in a thread of
 * its own; what it reads is known to a {@link TransactionCut}, and nothing else is kept.
 *
 * <p>The transaction topic is read from a while before the oldest message that is read first in a
 * partition: the END of a transaction is written after its events.
 */
final class TransactionReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long SLACK_MS = 60_000;
    private static final long CLOSE_MS = 10_000;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final String topic;
    private final UnaryOperator<byte[]> json;
    private final TransactionCut cut;
    private final Map<String, Long> wanted = new ConcurrentHashMap<>();
    private final Map<TopicPartition, String> data = new HashMap<>();
    private final Map<TopicPartition, String> ends = new HashMap<>();
    private final Set<String> topics = new HashSet<>();
    private final Set<TopicPartition> begun = new HashSet<>();
    private long since = Long.MAX_VALUE;
    private Thread thread;
    private volatile boolean closed;
    private volatile RuntimeException failure;

    /**
     * For a table.
     *
     * @param properties of a client that reads as the table does
     * @param topic the transaction topic
     * @param json what makes JSON of the messages
     */
    TransactionReader(
            Map<String, String> properties, String topic, UnaryOperator<byte[]> json, TransactionCut cut) {
        Map<String, Object> own = new HashMap<>(properties);
        own.remove("group.id");
        own.put("enable.auto.commit", "false");
        own.put("auto.offset.reset", "earliest"); // the stream itself reports what is lost
        own.put("fetch.max.wait.ms", "200");
        own.put("max.partition.fetch.bytes", "4194304");
        consumer = new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.topic = topic;
        this.json = json;
        this.cut = cut;
    }

    /** Reads these partitions, each from where it begins. */
    void follow(Map<String, Long> start, Map<String, Long> end) {
        if (failure != null) {
            throw failure;
        }
        for (String partition : end.keySet()) {
            wanted.putIfAbsent(partition, start.getOrDefault(partition, 0L));
        }
        if (thread == null) {
            thread = new Thread(this::run, "transactions of " + topic);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void close() {
        closed = true;
        if (thread == null) {
            consumer.close();
            return;
        }
        consumer.wakeup();
        try {
            thread.join(CLOSE_MS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed) {
                assign();
                wait(data.keySet(), cut::fullOfEvents);
                wait(ends.keySet(), cut::fullOfEnds);
                take(consumer.poll(POLL));
            }
        } catch (RuntimeException fault) {
            failure = closed ? null : fault;
        } finally {
            consumer.close();
        }
    }

    /** Reads the partitions that were asked for since, too. */
    private void assign() {
        Map<TopicPartition, Long> added = new HashMap<>();
        wanted.forEach((name, from) -> {
            String[] parts = name.split(" ");
            TopicPartition partition = new TopicPartition(parts[0], Integer.parseInt(parts[1]));
            if (data.putIfAbsent(partition, name) == null) {
                added.put(partition, from);
                topics.add(parts[0]);
            }
        });
        if (!added.isEmpty()) {
            assignAll();
            added.forEach(consumer::seek);
        }
    }

    private void assignAll() {
        Set<TopicPartition> all = new HashSet<>(data.keySet());
        all.addAll(ends.keySet());
        consumer.assign(all);
    }

    private void wait(Collection<TopicPartition> those, BooleanSupplier full) {
        if (full.getAsBoolean()) {
            consumer.pause(those);
        } else {
            consumer.resume(those);
        }
    }

    private void take(ConsumerRecords<byte[], byte[]> records) {
        long clock = System.nanoTime() / 1_000_000;
        long now = System.currentTimeMillis();
        long oldest = Long.MAX_VALUE;
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> read = records.records(partition);
            String name = data.get(partition);
            if (name != null) {
                for (ConsumerRecord<byte[], byte[]> each : read) {
                    TransactionMark mark = TransactionMark.of(json.apply(each.value()));
                    if (mark != null) {
                        cut.event(name, each.offset(), mark, Math.min(now, each.timestamp()), clock);
                    }
                }
                if (begun.add(partition)) {
                    oldest = Math.min(oldest, read.get(0).timestamp());
                }
            }
            if (ends.containsKey(partition)) {
                for (ConsumerRecord<byte[], byte[]> each : read) {
                    end(TransactionEnd.of(json.apply(each.value())), each.offset(), Math.min(now, each.timestamp()), clock);
                }
            }
            progress(partition, Math.min(now, read.get(read.size() - 1).timestamp()));
        }
        if (oldest < since) {
            since = oldest;
            rewind(Math.max(0, since - SLACK_MS));
        }
        boolean all = true;
        Set<TopicPartition> paused = consumer.paused();
        for (TopicPartition partition : consumer.assignment()) {
            boolean atEnd = !paused.contains(partition) && consumer.currentLag(partition).orElse(1) == 0;
            if (atEnd) {
                progress(partition, now);
            }
            all &= atEnd || !ends.containsKey(partition);
        }
        cut.endsRead(all);
    }

    private void end(TransactionEnd end, long place, long stamp, long clock) {
        long events = end == null ? 0 : end.in(topics);
        if (events > 0) {
            cut.end(end.id(), events, place, stamp, clock);
        }
    }

    private void progress(TopicPartition partition, long time) {
        String name = data.getOrDefault(partition, ends.get(partition));
        cut.read(name, consumer.position(partition), time);
    }

    /** Reads the transaction topic from this time on. */
    private void rewind(long time) {
        List<PartitionInfo> there = consumer.partitionsFor(topic);
        if (there == null || there.isEmpty()) {
            throw new KafkaException("there is no topic " + topic + " with the ends of transactions");
        }
        Map<TopicPartition, Long> times = new HashMap<>();
        for (PartitionInfo each : there) {
            TopicPartition partition = new TopicPartition(topic, each.partition());
            ends.put(partition, topic + " " + each.partition());
            times.put(partition, time);
        }
        assignAll();
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
        times.keySet().removeAll(data.keySet()); // a table that reads it has its own position
        for (TopicPartition partition : times.keySet()) {
            OffsetAndTimestamp at = found.get(partition);
            if (at == null) {
                consumer.seekToEnd(List.of(partition));
            } else {
                consumer.seek(partition, at.offset());
            }
            cut.rewound(ends.get(partition));
        }
    }
}
