package sluice.changes;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.util.CollectionAccumulator;

/**
 * Notes that the changes of a key come from several partitions, whose order is not known: the two
 * partitions of the first such key that each task, or the driver, meets.
 *
 * <p>A partition is the number in a change's place, which tells topics apart too.
 */
public final class SeveralPartitions implements Serializable {
    /** The partition of a row of which it is not known. */
    public static final int UNKNOWN = -1;

    private final CollectionAccumulator<Long> noted;
    private boolean done;

    public SeveralPartitions(SparkContext spark) {
        noted = spark.collectionAccumulator();
    }

    /** Compare where a change of a key comes from with where the one before it did. */
    public void compare(int before, int after) {
        if (before != after && before != UNKNOWN && after != UNKNOWN && !done) {
            done = true;
            noted.add((long) before << 32 | after & 0xFFFFFFFFL);
        }
    }

    /** The partitions of a key that has several; empty if none was met. For the driver. */
    public List<Integer> found() {
        List<Long> all = noted.value();
        return all.isEmpty() ? List.of() : List.of((int) (all.get(0) >> 32), all.get(0).intValue());
    }
}
