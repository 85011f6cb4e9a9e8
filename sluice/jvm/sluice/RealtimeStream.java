package sluice;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;

/** Spark's Kafka stream for Real-Time Mode, with the timestamps of records clamped. */
final class RealtimeStream implements MicroBatchStream, SupportsAdmissionControl, SupportsRealTimeMode {
    private final MicroBatchStream inner;

    RealtimeStream(MicroBatchStream inner) {
        this.inner = inner;
    }

    @Override
    public void prepareForRealTimeMode() {
        ((SupportsRealTimeMode) inner).prepareForRealTimeMode();
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start) {
        return Timestamps.clamped(((SupportsRealTimeMode) inner).planInputPartitions(start));
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        return Timestamps.clamped(inner.planInputPartitions(start, end));
    }

    @Override
    public Offset mergeOffsets(PartitionOffset[] offsets) {
        return ((SupportsRealTimeMode) inner).mergeOffsets(offsets);
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
        return ((SupportsAdmissionControl) inner).latestOffset(start, limit);
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
        return ((SupportsAdmissionControl) inner).getDefaultReadLimit();
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
