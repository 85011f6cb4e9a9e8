package sluice.spark;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.util.TaskCompletionListener;
import sluice.errors.ConditionException;

/**
 * Ends a query when the heap is nearly full, before tasks of pipelines and Spark's own threads get no memory.
 *
 * <p>Spark counts what its operators keep, and nothing else: an array of all values, or decoded rows, fill the heap
 * until an allocation fails, in whichever thread makes it. This looks after each full collection how much is left. If
 * that is little, the query ends whose tasks have allocated most; if it was not enough, another one after the next.
 *
 * <p>It is a plugin of a Spark whose tasks run in the driver's JVM: plugins are told of each task in its own thread.
 */
public final class HeapGuard implements SparkPlugin {
    /** The part of the old generation that may be in use after a collection. */
    private static final double FULL = 0.85;

    private static final long LOOK_MS = 50, ENDING_MS = 2000;

    /** Of the one Spark that a JVM has at a time: its driver and its executor each make a plugin. */
    private static final QueryTasks TASKS = new QueryTasks();

    @Override
    public DriverPlugin driverPlugin() {
        return new Driver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void onTaskStart() {
                TaskContext task = TaskContext.get();
                String query = Slots.query(task);
                if (query != null) {
                    TASKS.begun(task.taskAttemptId(), query);
                    TaskCompletionListener ended = each -> TASKS.ended(each.taskAttemptId());
                    task.addTaskCompletionListener(ended);
                }
            }
        };
    }

    /** Starts the thread that looks. */
    private static final class Driver implements DriverPlugin {
        private Thread guard = new Thread("heap-guard");

        @Override
        public Map<String, String> init(SparkContext context, PluginContext plugin) {
            for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
                if (pool.getType() == MemoryType.HEAP && pool.getName().matches(".*(Old Gen|Tenured).*")) {
                    guard = new Thread(() -> watch(context, pool), "heap-guard");
                    guard.setDaemon(true);
                    guard.start();
                }
            }
            return Map.of();
        }

        @Override
        public void shutdown() {
            guard.interrupt();
        }
    }

    private static void watch(SparkContext context, MemoryPoolMXBean old) {
        try {
            long seen = 0;
            while (true) {
                if (TASKS.awaitAny()) {
                    seen = collections(old); // those before tell nothing of this query
                }
                Thread.sleep(LOOK_MS);
                MemoryUsage left = old.getCollectionUsage();
                String tag = TASKS.largest();
                if (collections(old) > seen && left.getUsed() >= FULL * left.getMax() && tag != null) {
                    context.cancelJobsWithTag(tag, reason(left));
                    TASKS.awaitEnd(tag, ENDING_MS);
                }
                seen = collections(old);
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private static String reason(MemoryUsage left) {
        String reason = String.format(
                "%d of %d MiB that all share were in use, and it has allocated most",
                left.getUsed() >> 20, left.getMax() >> 20);
        return new ConditionException("MEMORY_LIMIT_EXCEEDED", Map.of("reason", reason)).getMessage();
    }

    private static long collections(MemoryPoolMXBean pool) {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(each -> List.of(each.getMemoryPoolNames()).contains(pool.getName()))
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }
}
