package sluice.spark;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.AccumulatorV2;

/**
 * The newest event time of each partition that a stream reads, and from those the stream's watermark.
 *
 * <p>Tasks note every row; the driver gets what they noted when they end. It keeps the times for as
 * long as the query runs: a partition that has brought nothing since holds the watermark back, until
 * it has been idle for too long.
 */
public final class PartitionTimes extends AccumulatorV2<Object, Map<String, long[]>> {
    private final Map<String, long[]> newest = new ConcurrentHashMap<>();
    private transient UTF8String topic;
    private transient int partition;
    private transient long[] current;

    private final transient Map<String, Long> seenAt = new HashMap<>();
    private final transient Set<String> inBatch = new HashSet<>();
    private final transient long idleMs;

    private PartitionTimes(Collection<String> partitions, long idleMs) {
        long now = clock();
        partitions.forEach(each -> seenAt.put(each, now));
        this.idleMs = idleMs;
    }

    /**
     * For a stream that is about to begin.
     *
     * @param partitions each as topic, a blank, and number
     * @param idleMs after how long a partition without rows is waited for no longer; 0 for never
     */
    public static PartitionTimes of(SparkSession spark, Collection<String> partitions, long idleMs) {
        PartitionTimes made = new PartitionTimes(partitions, idleMs);
        spark.sparkContext().register(made);
        return made;
    }

    /** Take note of a row's event time, in microseconds; gives it back. */
    public long note(long time, UTF8String topic, int partition) {
        if (current == null || partition != this.partition || !topic.equals(this.topic)) {
            this.topic = topic.clone();
            this.partition = partition;
            current = newest.computeIfAbsent(topic + " " + partition, key -> new long[] {Long.MIN_VALUE});
        }
        if (time > current[0]) {
            current[0] = time;
        }
        return time;
    }

    /**
     * How far all partitions have come by the end of a batch, in milliseconds; nothing while one of
     * them has not begun. Those with rows in the batch are not idle, however long it took.
     */
    synchronized OptionalLong slowest() {
        long now = clock();
        inBatch.forEach(key -> seenAt.computeIfPresent(key, (same, before) -> now));
        inBatch.clear();
        long least = Long.MAX_VALUE;
        for (Map.Entry<String, Long> each : seenAt.entrySet()) {
            long[] time = newest.get(each.getKey());
            if (idleMs > 0 && now - each.getValue() >= idleMs) {
                continue;
            }
            if (time == null) {
                return OptionalLong.empty();
            }
            least = Math.min(least, time[0]);
        }
        return least == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(Math.floorDiv(least, 1000L));
    }

    @Override
    public synchronized void merge(AccumulatorV2<Object, Map<String, long[]>> other) {
        other.value().forEach((key, time) -> {
            newest.merge(key, time.clone(), (a, b) -> a[0] >= b[0] ? a : b);
            inBatch.add(key);
        });
    }

    @Override
    public boolean isZero() {
        return newest.isEmpty();
    }

    @Override
    public PartitionTimes copy() {
        PartitionTimes made = new PartitionTimes(seenAt == null ? List.of() : seenAt.keySet(), idleMs);
        newest.forEach((key, time) -> made.newest.put(key, time.clone()));
        return made;
    }

    @Override
    public void reset() {
        newest.clear();
        current = null;
    }

    @Override
    public void add(Object nothing) {
        throw new UnsupportedOperationException("rows are noted");
    }

    @Override
    public Map<String, long[]> value() {
        return newest;
    }

    private static long clock() {
        return System.nanoTime() / 1_000_000;
    }
}
