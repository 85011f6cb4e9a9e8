package sluice.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;

/**
 * Keeps the timestamps of records within the years that a timestamp column holds.
 *
 * <p>A producer may give any 64-bit number of milliseconds; Spark's Kafka reader multiplies it by a
 * thousand and fails the task on overflow, without the record's offset and whether or not anybody reads
 * the column. An interceptor of the consumer clamps such a timestamp to the first or last instant, which
 * whoever reads the column treats as a bad message.
 */
public final class Timestamps implements ConsumerInterceptor<byte[], byte[]> {
    /** 9999-12-31 23:59:59.999; this instant and everything after it. */
    static final long LAST = 253_402_300_799_999L;
    /** 0001-01-01 00:00:00; this instant and everything before it. */
    static final long FIRST = -62_135_596_800_000L;

    /** The same partitions, read by consumers with this interceptor. */
    static InputPartition[] clamped(InputPartition[] partitions) {
        InputPartition[] made = new InputPartition[partitions.length];
        for (int n = 0; n < made.length; n++) {
            KafkaBatchInputPartition each = (KafkaBatchInputPartition) partitions[n];
            Map<String, Object> params = new HashMap<>(each.executorKafkaParams());
            params.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, Timestamps.class.getName());
            made[n] = each.copy(each.offsetRange(), params, each.pollTimeoutMs(), each.failOnDataLoss(),
                    each.includeHeaders());
        }
        return made;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (outside(record)) {
                return replaced(records);
            }
        }
        return records;
    }

    private static boolean outside(ConsumerRecord<byte[], byte[]> record) {
        return record.timestamp() > LAST || record.timestamp() < FIRST;
    }

    private static ConsumerRecords<byte[], byte[]> replaced(ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> made = new HashMap<>();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> list = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
                list.add(outside(record) ? replaced(record) : record);
            }
            made.put(partition, list);
        }
        return new ConsumerRecords<>(made);
    }

    private static ConsumerRecord<byte[], byte[]> replaced(ConsumerRecord<byte[], byte[]> record) {
        return new ConsumerRecord<>(record.topic(), record.partition(), record.offset(),
                record.timestamp() > LAST ? LAST : FIRST, record.timestampType(),
                record.serializedKeySize(), record.serializedValueSize(), record.key(), record.value(),
                record.headers(), record.leaderEpoch());
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
}
