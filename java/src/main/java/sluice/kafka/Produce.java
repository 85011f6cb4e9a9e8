package sluice.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Row;

/**
 * Sends the messages of a task to Kafka and returns when each of them is acknowledged.
 *
 * <p>A row is topic, value and key, then the time in milliseconds, then the names and the values of
 * the headers; a NULL is one that the message does not have.
 */
public final class Produce implements ForeachPartitionFunction<Row> {
    private static final int TOPIC = 0, VALUE = 1, KEY = 2, TIMESTAMP = 3, NAMES = 4, VALUES = 5;

    private final HashMap<String, Object> properties;

    public Produce(Map<String, String> properties) {
        this.properties = new HashMap<>(properties);
    }

    @Override
    public void call(Iterator<Row> rows) {
        if (!rows.hasNext()) {
            return; // nothing to say, so nobody is called
        }
        var bytes = new ByteArraySerializer();
        var producer = new KafkaProducer<>(properties, bytes, bytes);
        var failed = new AtomicReference<Exception>();
        try {
            while (rows.hasNext() && failed.get() == null) {
                producer.send(record(rows.next()), (done, error) -> {
                    if (error != null) {
                        failed.compareAndSet(null, error);
                    }
                });
            }
            if (failed.get() == null) {
                producer.flush(); // no longer than a message may take: then each has its answer
            }
        } catch (KafkaException error) {
            failed.compareAndSet(null, error);
        } finally {
            producer.close(Duration.ZERO); // what failed is not waited for
        }
        if (failed.get() != null) {
            throw new KafkaException(failed.get());
        }
    }

    private static ProducerRecord<byte[], byte[]> record(Row row) {
        var headers = new RecordHeaders();
        if (!row.isNullAt(NAMES)) {
            List<String> names = row.getList(NAMES);
            List<byte[]> values = row.getList(VALUES);
            for (int n = 0; n < names.size(); n++) {
                headers.add(names.get(n), values.get(n));
            }
        }
        Long at = row.isNullAt(TIMESTAMP) ? null : row.getLong(TIMESTAMP);
        byte[] key = row.isNullAt(KEY) ? null : (byte[]) row.get(KEY);
        byte[] value = row.isNullAt(VALUE) ? null : (byte[]) row.get(VALUE);
        return new ProducerRecord<>(row.getString(TOPIC), null, at, key, value, headers);
    }
}
