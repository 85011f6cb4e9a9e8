package sluice.kafka;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;

/** Spark's Kafka stream with the timestamps of records clamped; subclasses decide on batches. */
abstract class KafkaStream implements MicroBatchStream, SupportsAdmissionControl {
    protected final MicroBatchStream inner;

    KafkaStream(MicroBatchStream inner) {
        this.inner = inner;
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        return Timestamps.clamped(inner.planInputPartitions(start, end));
    }

    @Override
    public Offset reportLatestOffset() {
        return ((SupportsAdmissionControl) inner).reportLatestOffset();
    }

    @Override
    public Offset latestOffset() {
        return inner.latestOffset();
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return inner.createReaderFactory();
    }

    @Override
    public Offset initialOffset() {
        return inner.initialOffset();
    }

    @Override
    public Offset deserializeOffset(String json) {
        return inner.deserializeOffset(json);
    }

    @Override
    public void commit(Offset end) {
        inner.commit(end);
    }

    @Override
    public void stop() {
        inner.stop();
    }
}
