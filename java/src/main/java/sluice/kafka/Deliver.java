package sluice.kafka;

import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.common.KafkaException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Sends the messages of a task without a transaction.
 *
 * <p>With {@code awaits} it returns when each of them is acknowledged and fails if one is not: at
 * least once. Without, it returns when the client has buffered them, and whether they arrive is not
 * known.
 */
final class Deliver implements VoidFunction<Iterator<InternalRow>> {
    private final SinkTask sink;
    private final boolean awaits;

    Deliver(SinkTask sink, boolean awaits) {
        this.sink = sink;
        this.awaits = awaits;
    }

    @Override
    public void call(Iterator<InternalRow> rows) {
        if (!rows.hasNext()) {
            return; // no producer, no connection
        }
        int task = TaskContext.getPartitionId();
        Producers.Pooled pooled = sink.pools() ? Producers.take(sink.producer(task)) : null;
        boolean done = false;
        try {
            if (pooled == null) {
                pooled = new Producers.Pooled(sink.producer(task), sink.properties());
            }
            send(rows, task, pooled);
            done = true;
        } catch (RuntimeException fault) {
            throw KafkaFaults.named(fault);
        } finally {
            if (done && sink.pools()) {
                Producers.keep(pooled);
            } else if (pooled != null) {
                pooled.drop();
            }
        }
    }

    private void send(Iterator<InternalRow> rows, int task, Producers.Pooled pooled) {
        AtomicReference<Exception> failed = new AtomicReference<>();
        Callback answer = !awaits ? null : (sent, error) -> {
            if (error != null) {
                failed.compareAndSet(null, error);
            }
        };
        SinkTask.Records records = sink.records(task, pooled.producer);
        while (rows.hasNext() && failed.get() == null) {
            pooled.producer.send(records.of(rows.next()), answer);
            sink.sent.add(1L);
        }
        if (awaits && failed.get() == null) {
            pooled.producer.flush(); // no longer than a message may take: then each has its answer
        }
        if (failed.get() != null) {
            throw new KafkaException(failed.get());
        }
    }
}
