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
 * alone. A producer that is new to its transactional id first fences the one before, which also ends
 * its open transaction; then that offset tells whether the topic has the batch. So a commit whose
 * outcome is unknown is never guessed at: the producer is closed, and the next one reads the offset.
 *
 * <p>A server that takes a sink over commits that it owns it, and then fences the producers of all
 * tasks. So one that was opened before cannot commit any more, and one that is opened later finds
 * another owner and fails.
 */
final class Transact implements VoidFunction<Iterator<InternalRow>> {
    private final SinkTask sink;
    private final long batch;

    Transact(SinkTask sink, long batch) {
        this.sink = sink;
        this.batch = batch;
    }

    @Override
    public void call(Iterator<InternalRow> rows) {
        int task = TaskContext.getPartitionId();
        Producers.Pooled pooled = Producers.take(sink.producer(task));
        if (pooled != null && pooled.next < batch && !SparkEnv.get().executorId().equals("driver")) {
            pooled.drop(); // another executor may have written meanwhile, and has fenced this one
            pooled = null;
        }
        if (pooled == null && !rows.hasNext()) {
            return; // no rows now, and none when the batch is run again
        }
        boolean done = false;
        try {
            if (pooled == null) {
                pooled = open(task);
            }
            if (pooled.next <= batch && rows.hasNext()) {
                write(rows, task, pooled);
            }
            done = true;
        } catch (RuntimeException fault) {
            throw KafkaFaults.named(fault);
        } finally {
            if (done) {
                Producers.keep(pooled);
            } else if (pooled != null) {
                pooled.drop();
            }
        }
    }

    private Producers.Pooled open(int task) {
        Map<String, Object> properties = sink.properties();
        properties.put("transactional.id", sink.producer(task));
        Producers.Pooled pooled = new Producers.Pooled(sink.producer(task), properties);
        boolean done = false;
        try {
            pooled.producer.initTransactions();
            Transactions.checkOwner(sink.properties(), sink.group, sink.topic, sink.owner);
            pooled.next = Transactions.next(sink.properties(), sink.marker(task), sink.topic);
            done = true;
            return pooled;
        } finally {
            if (!done) {
                pooled.drop();
            }
        }
    }

    private void write(Iterator<InternalRow> rows, int task, Producers.Pooled pooled) {
        var producer = pooled.producer;
        producer.beginTransaction();
        try {
            SinkTask.Records records = sink.records(task, producer);
            producer.send(records.of(rows.next()));
            sink.sent.add(1L);
            Failpoints.hit("txn.after_begin");
            while (rows.hasNext()) {
                producer.send(records.of(rows.next())); // a failure of one is told by the commit
                sink.sent.add(1L);
            }
            var marker = new OffsetAndMetadata(batch + 1, sink.note);
            var group = new ConsumerGroupMetadata(sink.marker(task));
            producer.sendOffsetsToTransaction(Map.of(new TopicPartition(sink.topic, 0), marker), group);
            Failpoints.hit("txn.before_commit");
            producer.commitTransaction();
        } catch (Throwable fault) {
            abort(pooled, fault);
            throw fault;
        }
        Failpoints.hit("txn.after_commit");
        pooled.next = batch + 1;
    }

    /** Take it back now, unless that would only wait: the next producer of this name does it then. */
    private static void abort(Producers.Pooled pooled, Throwable fault) {
        if (fault instanceof TimeoutException || fault.getCause() instanceof TimeoutException) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            pooled.producer.abortTransaction();
        } catch (RuntimeException worse) {
            fault.addSuppressed(worse);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
