package sluice.kafka;

import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.common.KafkaException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Sends the messages of a task, outside of transactions.
 *
 * <p>With {@code awaits} it returns when each of them is acknowledged and fails if one is not.
 * Without, it returns when the client has taken them over, and nobody asks what became of them.
 */
final class Deliver implements VoidFunction<Iterator<InternalRow>> {
    private final Outbox outbox;
    private final boolean awaits;

    Deliver(Outbox outbox, boolean awaits) {
        this.outbox = outbox;
        this.awaits = awaits;
    }

    @Override
    public void call(Iterator<InternalRow> rows) {
        if (!rows.hasNext()) {
            return; // nothing to say, so nobody is called
        }
        int task = TaskContext.getPartitionId();
        Producers.Held held = Producers.take(outbox.producer(task));
        if (held == null) {
            held = new Producers.Held(outbox.producer(task), outbox.properties());
        }
        boolean done = false;
        try {
            send(rows, task, held);
            done = true;
        } finally {
            if (done) {
                Producers.keep(held);
            } else {
                held.drop();
            }
        }
    }

    private void send(Iterator<InternalRow> rows, int task, Producers.Held held) {
        AtomicReference<Exception> failed = new AtomicReference<>();
        Callback answer = !awaits ? null : (sent, error) -> {
            if (error != null) {
                failed.compareAndSet(null, error);
            }
        };
        Outbox.Messages messages = outbox.messages(task, held.producer);
        while (rows.hasNext() && failed.get() == null) {
            held.producer.send(messages.of(rows.next()), answer);
        }
        if (awaits && failed.get() == null) {
            held.producer.flush(); // no longer than a message may take: then each has its answer
        }
        if (failed.get() != null) {
            throw new KafkaException(failed.get());
        }
    }
}
