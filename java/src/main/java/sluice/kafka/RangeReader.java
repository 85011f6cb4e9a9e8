package sluice.kafka;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.KafkaOffsetRange;
import org.apache.spark.sql.kafka010.KafkaRecordToRowConverter;
import org.apache.spark.sql.kafka010.consumer.KafkaDataConsumer;
import scala.Function1;

/**
 * Reads the messages of a partition between two offsets, with the consumers of Spark's Kafka source.
 *
 * <p>Spark's own reader has two projections generated, as Java, each time that it is made: for a batch of a
 * hundred messages that takes longer than to read them. Those here are used again.
 */
final class RangeReader implements PartitionReader<InternalRow> {
    /** Converters that no reader uses now; each has a buffer for the row that it has made last. */
    private static final Deque<KafkaRecordToRowConverter> IDLE = new ConcurrentLinkedDeque<>();
    private static final int MOST = 64;

    private final KafkaBatchInputPartition partition;
    private final KafkaDataConsumer consumer;
    private final Function1<ConsumerRecord<byte[], byte[]>, UnsafeRow> rows;
    private final long until;
    private KafkaRecordToRowConverter converter;
    private long next;
    private UnsafeRow row;

    private RangeReader(KafkaBatchInputPartition partition) {
        this.partition = partition;
        KafkaOffsetRange range = partition.offsetRange();
        next = range.fromOffset();
        until = range.untilOffset();
        KafkaRecordToRowConverter idle = IDLE.poll();
        converter = idle == null ? new KafkaRecordToRowConverter() : idle;
        rows = converter.toUnsafeRowProjector(partition.includeHeaders());
        consumer = KafkaDataConsumer.acquire(range.topicPartition(), partition.executorKafkaParams());
    }

    @Override
    public boolean next() {
        if (next >= until) {
            return false;
        }
        ConsumerRecord<byte[], byte[]> record =
                consumer.get(next, until, partition.pollTimeoutMs(), partition.failOnDataLoss());
        if (record == null) {
            return false;
        }
        row = rows.apply(record);
        next = record.offset() + 1;
        return true;
    }

    @Override
    public InternalRow get() {
        return row;
    }

    @Override
    public void close() {
        if (converter == null) {
            return;
        }
        consumer.release();
        if (IDLE.size() < MOST) {
            IDLE.add(converter);
        }
        converter = null;
    }

    /** Makes readers of ranges whose offsets are known; {@code spark} makes the others. */
    record Factory(PartitionReaderFactory spark) implements PartitionReaderFactory {
        @Override
        public PartitionReader<InternalRow> createReader(InputPartition given) {
            KafkaBatchInputPartition partition = (KafkaBatchInputPartition) given;
            KafkaOffsetRange range = partition.offsetRange();
            boolean known = range.fromOffset() >= 0 && range.untilOffset() >= 0;
            return known ? new RangeReader(partition) : spark.createReader(given);
        }
    }
}
