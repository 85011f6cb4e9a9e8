package sluice.kafka;

import java.io.Serializable;
import org.apache.spark.Partition;
import org.apache.spark.rdd.PartitionCoalescer;
import org.apache.spark.rdd.PartitionGroup;
import org.apache.spark.rdd.RDD;
import scala.Option;

/** Fewer tasks, each with the rows of neighbours: the same ones whenever and wherever it runs. */
final class NeighbourCoalescer implements PartitionCoalescer, Serializable {
    @Override
    public PartitionGroup[] coalesce(int most, RDD<?> parent) {
        Partition[] all = parent.partitions();
        int count = Math.min(most, all.length);
        PartitionGroup[] groups = new PartitionGroup[count];
        for (int k = 0; k < count; k++) {
            groups[k] = new PartitionGroup(Option.empty());
            int until = (int) ((k + 1L) * all.length / count);
            for (int n = (int) ((long) k * all.length / count); n < until; n++) {
                groups[k].partitions().addOne(all[n]);
            }
        }
        return groups;
    }
}
