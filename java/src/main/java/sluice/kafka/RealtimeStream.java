package sluice.kafka;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;

/** Spark's Kafka stream for Real-Time Mode, with the timestamps of records clamped. */
final class RealtimeStream extends KafkaStream implements SupportsRealTimeMode {
    RealtimeStream(MicroBatchStream inner) {
        super(inner);
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
}
