package sluice.kafka;

import java.util.Iterator;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.faults.Failpoints;

/**
 * Writes the rows that a task has of a batch in one transaction, once.
 *
 * <p>The same transaction commits {@code batch + 1} as the offset of a group that is this task's
 * alone. A producer that is new to its name first shuts out whoever had it before, and with that
 * settles what was pending; then that offset tells whether the batch is there already. So a commit
 * whose outcome is unknown is never guessed at: the producer is given up, and the next one looks.
 *
 * <p>A server that takes a sink over writes down that it owns it, and then shuts out the producers
 * of all tasks. So one that is opened before that cannot commit any more, and one that is opened
 * after it finds another owner and fails.
 */
final class Transact implements VoidFunction<Iterator<InternalRow>> {
    private final Outbox outbox;
    private final long batch;

    Transact(Outbox outbox, long batch) {
        this.outbox = outbox;
        this.batch = batch;
    }

    @Override
    public void call(Iterator<InternalRow> rows) {
        int task = TaskContext.getPartitionId();
        Producers.Held held = Producers.take(outbox.producer(task));
        if (held != null && held.next < batch && !SparkEnv.get().executorId().equals("driver")) {
            held.drop(); // another executor may have written meanwhile, and has shut this one out
            held = null;
        }
        if (held == null && !rows.hasNext()) {
            return; // no rows now, and none when the batch is run again
        }
        boolean done = false;
        try {
            if (held == null) {
                held = open(task);
            }
            if (held.next <= batch && rows.hasNext()) {
                write(rows, task, held);
            }
            done = true;
        } finally {
            if (done) {
                Producers.keep(held);
            } else if (held != null) {
                held.drop();
            }
        }
    }

    private Producers.Held open(int task) {
        Map<String, Object> properties = outbox.properties();
        properties.put("transactional.id", outbox.producer(task));
        Producers.Held held = new Producers.Held(outbox.producer(task), properties);
        boolean done = false;
        try {
            held.producer.initTransactions();
            Transactions.checkOwner(outbox.properties(), outbox.group, outbox.topic, outbox.owner);
            held.next = Transactions.next(outbox.properties(), outbox.marker(task), outbox.topic);
            done = true;
            return held;
        } finally {
            if (!done) {
                held.drop();
            }
        }
    }

    private void write(Iterator<InternalRow> rows, int task, Producers.Held held) {
        var producer = held.producer;
        producer.beginTransaction();
        try {
            Outbox.Messages messages = outbox.messages(task, producer);
            producer.send(messages.of(rows.next()));
            Failpoints.hit("txn.after_begin");
            while (rows.hasNext()) {
                producer.send(messages.of(rows.next())); // a failure of one is told by the commit
            }
            var marker = new OffsetAndMetadata(batch + 1, outbox.note);
            var group = new ConsumerGroupMetadata(outbox.marker(task));
            producer.sendOffsetsToTransaction(Map.of(new TopicPartition(outbox.topic, 0), marker), group);
            Failpoints.hit("txn.before_commit");
            producer.commitTransaction();
        } catch (Throwable fault) {
            abort(held, fault);
            throw fault;
        }
        Failpoints.hit("txn.after_commit");
        held.next = batch + 1;
    }

    /** Take it back now, unless that would only wait: the next producer of this name does it then. */
    private static void abort(Producers.Held held, Throwable fault) {
        if (fault instanceof TimeoutException || fault.getCause() instanceof TimeoutException) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            held.producer.abortTransaction();
        } catch (RuntimeException worse) {
            fault.addSuppressed(worse);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
