package sluice.spark;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskNotSerializableException;
import org.apache.spark.scheduler.ExternalClusterManager;
import org.apache.spark.scheduler.Pool;
import org.apache.spark.scheduler.SchedulerBackend;
import org.apache.spark.scheduler.SchedulingMode;
import org.apache.spark.scheduler.TaskDescription;
import org.apache.spark.scheduler.TaskScheduler;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.local.LocalSchedulerBackend;
import org.apache.spark.util.SystemClock;
import scala.Enumeration;
import scala.Option;
import scala.Tuple3;

/**
 * Spark's local mode with task slots of three kinds: master {@code local[P+Q+S]}.
 *
 * <p>Pipelines have P slots, queries Q, and short work (planning, constants, system tables) S. A
 * running task is never preempted, so a share that is only fair would still let one query hold every
 * slot for as long as its tasks run. Here a kind never has more tasks than its slots: work of another
 * kind always finds its own ones free. Their memory is divided by {@link SharedMemory}.
 */
public final class Slots implements ExternalClusterManager {
    public static final String QUERIES = "queries";
    public static final String SHORT = "short";
    private static final String TAG = "sluice";
    private static final Pattern MASTER = Pattern.compile("local\\[(\\d+|\\*)\\+(\\d+|\\*)\\+(\\d+)]");

    /**
     * The tag of the statement that a task works for, if that is a query; else null.
     *
     * <p>A job has other tags as well, those of Spark itself.
     */
    static String query(TaskContext task) {
        if (task == null || !QUERIES.equals(task.getLocalProperty("spark.scheduler.pool"))) {
            return null;
        }
        String tags = String.valueOf(task.getLocalProperty("spark.job.tags"));
        return Stream.of(tags.split(",")).filter(tag -> tag.startsWith(TAG)).findAny().orElse(tags);
    }

    private static int[] counts(String master) {
        Matcher found = MASTER.matcher(master);
        if (!found.matches()) {
            throw new IllegalArgumentException(master);
        }
        return new int[] {count(found.group(1)), count(found.group(2)), count(found.group(3))};
    }

    private static int count(String text) {
        return text.equals("*") ? Runtime.getRuntime().availableProcessors() : Integer.parseInt(text);
    }

    @Override
    public boolean canCreate(String master) {
        return MASTER.matcher(master).matches();
    }

    @Override
    public TaskScheduler createTaskScheduler(SparkContext context, String master) {
        int[] counts = counts(master);
        SharedMemory.install(context.env());
        return new Scheduler(context, counts[0], Map.of(QUERIES, counts[1], SHORT, counts[2]));
    }

    @Override
    public SchedulerBackend createSchedulerBackend(
            SparkContext context, String master, TaskScheduler scheduler) {
        int[] counts = counts(master);
        int all = counts[0] + counts[1] + counts[2];
        return new LocalSchedulerBackend(context.getConf(), (TaskSchedulerImpl) scheduler, all) {
            @Override
            public int defaultParallelism() {
                return context.getConf().getInt("spark.default.parallelism", counts[0]);
            }
        };
    }

    @Override
    public void initialize(TaskScheduler scheduler, SchedulerBackend backend) {
        Scheduler own = (Scheduler) scheduler;
        own.initialize(backend);
        for (String name : own.limits.keySet()) {
            own.rootPool().addSchedulable(new Pool(name, SchedulingMode.FAIR(), 0, 1));
        }
    }

    /** Makes task sets that keep to the limit of their pool. */
    private static final class Scheduler extends TaskSchedulerImpl {
        private final Map<String, Integer> limits;
        private final int rest;

        Scheduler(SparkContext context, int rest, Map<String, Integer> limits) {
            super(context, 1, true, new SystemClock()); // as local mode: a failed task is not repeated
            this.rest = rest;
            this.limits = limits;
        }

        int limit(Pool pool) {
            return limits.getOrDefault(pool.name(), rest);
        }

        @Override
        public TaskSetManager createTaskSetManager(TaskSet tasks, int failures) {
            return new Limited(this, tasks, failures);
        }
    }

    /** Takes no offer while the tasks of its pool have all the slots of their kind. */
    private static final class Limited extends TaskSetManager {
        private final Scheduler scheduler;

        Limited(Scheduler scheduler, TaskSet tasks, int failures) {
            super(scheduler, tasks, failures, scheduler.healthTrackerOpt(), new SystemClock());
            this.scheduler = scheduler;
        }

        @Override
        public Tuple3<Option<TaskDescription>, Object, Object> resourceOffer(
                String executor,
                String host,
                Enumeration.Value locality,
                int cpus,
                scala.collection.immutable.Map<
                                String, scala.collection.immutable.Map<String, Object>>
                        resources)
                throws TaskNotSerializableException {
            if (parent().runningTasks() >= scheduler.limit(parent())) {
                return new Tuple3<>(Option.empty(), false, -1);
            }
            return super.resourceOffer(executor, host, locality, cpus, resources);
        }
    }
}
