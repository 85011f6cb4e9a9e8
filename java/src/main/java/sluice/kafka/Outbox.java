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
import org.apache.spark.sql.catalyst.util.MapData;

/**
 * What all tasks that write to a topic know: where to, as whom, and what becomes of a row.
 *
 * <p>A row is value, key, partition, time in milliseconds and headers; a NULL is one that the
 * message does not have.
 */
final class Outbox implements Serializable {
    private static final int VALUE = 0, KEY = 1, PARTITION = 2, TIMESTAMP = 3, HEADERS = 4;
    private static final Map<String, AtomicInteger> TURNS = new ConcurrentHashMap<>();

    final String topic;
    final String name;
    final String group;
    final String note;
    final String owner;
    private final String partitioner;
    private final HashMap<String, Object> properties;

    /** {@code note} is kept with each marker; {@code owner} is who has to own the sink meanwhile. */
    Outbox(String topic, String name, String group, String partitioner, String note, String owner,
            Map<String, Object> properties) {
        this.topic = topic;
        this.name = name;
        this.group = group;
        this.partitioner = partitioner;
        this.note = note;
        this.owner = owner;
        this.properties = new HashMap<>(properties);
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

    /** What makes messages of the rows of a task. */
    Messages messages(int task, KafkaProducer<byte[], byte[]> producer) {
        switch (partitioner) {
            case "fixed": {
                Integer partition = task % producer.partitionsFor(topic).size();
                return row -> message(row, partition);
            }
            case "round-robin": {
                int partitions = producer.partitionsFor(topic).size();
                AtomicInteger turn = TURNS.computeIfAbsent(name, first -> new AtomicInteger());
                return row -> message(row, Math.floorMod(turn.getAndIncrement(), partitions));
            }
            default:
                return row -> message(row, row.isNullAt(PARTITION) ? null : row.getInt(PARTITION));
        }
    }

    /** From a row to a message. */
    interface Messages {
        ProducerRecord<byte[], byte[]> of(InternalRow row);
    }

    private ProducerRecord<byte[], byte[]> message(InternalRow row, Integer partition) {
        byte[] value = row.isNullAt(VALUE) ? null : row.getBinary(VALUE);
        byte[] key = row.isNullAt(KEY) ? null : row.getBinary(KEY);
        Long at = row.isNullAt(TIMESTAMP) ? null : row.getLong(TIMESTAMP);
        Headers headers = row.isNullAt(HEADERS) ? null : headers(row.getMap(HEADERS));
        return new ProducerRecord<>(topic, partition, at, key, value, headers);
    }

    private static Headers headers(MapData given) {
        ArrayData names = given.keyArray();
        ArrayData values = given.valueArray();
        RecordHeaders headers = new RecordHeaders();
        for (int n = 0; n < given.numElements(); n++) {
            headers.add(names.getUTF8String(n).toString(), values.isNullAt(n) ? null : values.getBinary(n));
        }
        return headers;
    }
}
