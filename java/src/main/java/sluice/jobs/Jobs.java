package sluice.jobs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.rdd.RDD;
import scala.collection.immutable.Range$;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * Jobs over the rows of an RDD, each task with all rows of a partition.
 *
 * <p>A batch is a job. Spark's own actions are made of closures, whose classes it reads and analyses anew for
 * every job to find out what they hold; for a small batch that takes longer than the tasks. The functions here are
 * objects that hold what they need and nothing else, and Spark takes them as they are.
 */
public final class Jobs {
    private Jobs() {}

    /** Run a task on each partition, with its number; what they give, in the order of the partitions. */
    public static <T, U> List<U> collect(RDD<T> rows, Function2<Integer, Iterator<T>, Iterator<U>> task) {
        List<U> all = new ArrayList<>();
        run(rows, new Collecting<>(task)).forEach(all::addAll);
        return all;
    }

    /** Run a task on each partition. */
    public static <T> void each(RDD<T> rows, VoidFunction<Iterator<T>> task) {
        run(rows, new Doing<>(task));
    }

    private static <T, U> List<U> run(RDD<T> rows, Task<T, U> task) {
        int partitions = rows.getNumPartitions();
        Results<U> results = new Results<>(partitions);
        ClassTag<U> any = (ClassTag<U>) (ClassTag<?>) ClassTag$.MODULE$.AnyRef();
        rows.sparkContext().runJob(rows, task, Range$.MODULE$.apply(0, partitions), results, any);
        return results.found;
    }

    /** What a task does with the rows of its partition. */
    private abstract static class Task<T, U> extends AbstractFunction2<TaskContext, scala.collection.Iterator<T>, U>
            implements Serializable {
        @Override
        public final U apply(TaskContext context, scala.collection.Iterator<T> rows) {
            try {
                return call(context.partitionId(), CollectionConverters.asJava(rows));
            } catch (Exception fault) {
                throw Task.<RuntimeException>unchanged(fault);
            }
        }

        abstract U call(int partition, Iterator<T> rows) throws Exception;

        /** The fault itself: Scala knows no checked exceptions. */
        private static <E extends Exception> E unchanged(Exception fault) throws E {
            throw (E) fault;
        }
    }

    private static final class Collecting<T, U> extends Task<T, ArrayList<U>> {
        private final Function2<Integer, Iterator<T>, Iterator<U>> task;

        Collecting(Function2<Integer, Iterator<T>, Iterator<U>> task) {
            this.task = task;
        }

        @Override
        ArrayList<U> call(int partition, Iterator<T> rows) throws Exception {
            ArrayList<U> found = new ArrayList<>();
            task.call(partition, rows).forEachRemaining(found::add);
            return found;
        }
    }

    private static final class Doing<T> extends Task<T, Boolean> {
        private final VoidFunction<Iterator<T>> task;

        Doing(VoidFunction<Iterator<T>> task) {
            this.task = task;
        }

        @Override
        Boolean call(int partition, Iterator<T> rows) throws Exception {
            task.call(rows);
            return true;
        }
    }

    /** Takes what the tasks give, by their numbers. */
    private static final class Results<U> extends AbstractFunction2<Object, U, BoxedUnit> {
        private final List<U> found;

        Results(int partitions) {
            found = new ArrayList<>(Collections.nCopies(partitions, null));
        }

        @Override
        public BoxedUnit apply(Object partition, U given) {
            found.set((Integer) partition, given);
            return BoxedUnit.UNIT;
        }
    }
}
