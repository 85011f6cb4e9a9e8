package sluice.kafka;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.util.LongAccumulator;

/**
 * What every task of a sink is told: the topic, its producers' names and properties, and how a row
 * becomes a record.
 *
 * <p>A row is topic, key, value, headers (a list of names and values), timestamp in milliseconds and
 * partition. A NULL topic is the sink's own, a NULL partition is the partitioner's choice, and any
 * other NULL is something that the message does not have.
 */
final class SinkTask implements Serializable {
    private static final int TOPIC = 0, KEY = 1, VALUE = 2, HEADERS = 3, TIMESTAMP = 4, PARTITION = 5;
    private static final Map<String, AtomicInteger> TURNS = new ConcurrentHashMap<>();

    final String topic;
    final String name;
    final String group;
    final String note;
    final String owner;
    final LongAccumulator sent;
    private final String partitioner;
    private final HashMap<String, Object> properties;

    /**
     * {@code note} is stored with each marker; {@code owner} is the server that has to own the sink;
     * {@code sent} counts the messages.
     */
    SinkTask(String topic, String name, String group, String partitioner, String note, String owner,
            LongAccumulator sent, Map<String, Object> properties) {
        this.topic = topic;
        this.name = name;
        this.group = group;
        this.partitioner = partitioner;
        this.note = note;
        this.owner = owner;
        this.sent = sent;
        this.properties = new HashMap<>(properties);
    }

    /** Whether producers are pooled for the next batch: those of a single statement have no name. */
    boolean pools() {
        return !name.isEmpty();
    }

    /** The name of a task's producer. */
    String producer(int task) {
        return name + "-" + task;
    }

    /** The group whose offset tells which batch a task has to write next. */
    String marker(int task) {
        return group + "." + task;
    }

    /** A copy of the properties, to add to. */
    Map<String, Object> properties() {
        return new HashMap<>(properties);
    }

    /** What makes records of the rows of a task. */
    Records records(int task, KafkaProducer<byte[], byte[]> producer) {
        switch (partitioner) {
            case "fixed": {
                Integer partition = task % producer.partitionsFor(topic).size();
                return row -> record(row, partition);
            }
            case "round-robin": {
                int partitions = producer.partitionsFor(topic).size();
                AtomicInteger turn = TURNS.computeIfAbsent(name, first -> new AtomicInteger());
                return row -> record(row, Math.floorMod(turn.getAndIncrement(), partitions));
            }
            default:
                return row -> record(row, row.isNullAt(PARTITION) ? null : row.getInt(PARTITION));
        }
    }

    /** From a row to a record. */
    interface Records {
        ProducerRecord<byte[], byte[]> of(InternalRow row);
    }

    private ProducerRecord<byte[], byte[]> record(InternalRow row, Integer partition) {
        String to = row.isNullAt(TOPIC) ? topic : row.getUTF8String(TOPIC).toString();
        byte[] key = row.isNullAt(KEY) ? null : row.getBinary(KEY);
        byte[] value = row.isNullAt(VALUE) ? null : row.getBinary(VALUE);
        Headers headers = row.isNullAt(HEADERS) ? null : headers(row.getArray(HEADERS));
        Long at = row.isNullAt(TIMESTAMP) ? null : row.getLong(TIMESTAMP);
        return new ProducerRecord<>(to, partition, at, key, value, headers);
    }

    private static Headers headers(ArrayData given) {
        RecordHeaders headers = new RecordHeaders();
        for (int n = 0; n < given.numElements(); n++) {
            InternalRow header = given.getStruct(n, 2);
            headers.add(header.getUTF8String(0).toString(), header.isNullAt(1) ? null : header.getBinary(1));
        }
        return headers;
    }
}
