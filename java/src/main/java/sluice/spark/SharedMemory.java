package sluice.spark;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.ExecutionMemoryPool;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.UnifiedMemoryManager;

/**
 * The memory of Spark's operators (hash tables, sorted rows, shuffles), of which queries have at most half together.
 *
 * <p>Spark divides it among tasks, whoever they work for, and a task that has it all keeps it until it asks for more:
 * another one waits. So a pipeline's batch would wait for as long as a query's tasks hold what they have. Here
 * the tasks of queries divide a part of their own by Spark's rules, and a query with a limit has no more than that. Who
 * gets no more memory spills to the disk; who cannot, fails.
 */
final class SharedMemory extends UnifiedMemoryManager {
    /** The property of a query's jobs with the bytes that their tasks may have together. */
    static final String LIMIT = "sluice.memory";

    private static final double QUERIES = 0.5;

    /** Whose a task is: what it may have with others, by name; empty for a pipeline's. */
    private final Supplier<Map<String, Long>> asking;

    private final Map<String, ExecutionMemoryPool> shares = new HashMap<>();
    private final Map<Long, List<String>> members = new HashMap<>();

    SharedMemory(SparkConf conf, long heap, Supplier<Map<String, Long>> asking) {
        super(conf, heap, (long) (heap * conf.getDouble("spark.memory.storageFraction", 0.5)), 0);
        this.asking = asking;
    }

    /** Takes the place of the manager that Spark has made, which nobody has used yet: none other can be configured. */
    static void install(SparkEnv env) {
        long heap = ((UnifiedMemoryManager) env.memoryManager()).maxHeapMemory();
        try {
            Method set = SparkEnv.class.getDeclaredMethod("_memoryManager_$eq", MemoryManager.class);
            set.setAccessible(true);
            set.invoke(env, new SharedMemory(env.conf(), heap, () -> of(TaskContext.get(), heap)));
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException other) {
            throw new IllegalStateException("another version of Spark", other);
        }
    }

    private static Map<String, Long> of(TaskContext task, long heap) {
        String query = Slots.query(task);
        if (query == null) {
            return Map.of();
        }
        long all = (long) (heap * QUERIES);
        String limit = task.getLocalProperty(LIMIT);
        return limit == null
                ? Map.of(Slots.QUERIES, all)
                : Map.of(Slots.QUERIES, all, query, Long.parseLong(limit));
    }

    @Override
    public synchronized long acquireExecutionMemory(long wanted, long task, MemoryMode mode) {
        if (mode != MemoryMode.ON_HEAP) {
            return super.acquireExecutionMemory(wanted, task, mode);
        }
        List<String> own = members.computeIfAbsent(task, first -> joined());
        long[] allowed = new long[own.size()];
        long least = wanted;
        for (int at = 0; at < allowed.length; at++) {
            least = allowed[at] = acquired(shares.get(own.get(at)), least, task);
        }
        least = least == 0 ? 0 : super.acquireExecutionMemory(least, task, mode);
        for (int at = 0; at < allowed.length; at++) {
            if (allowed[at] > least) {
                shares.get(own.get(at)).releaseMemory(allowed[at] - least, task);
            }
        }
        return least;
    }

    private List<String> joined() {
        List<String> found = new ArrayList<>();
        asking.get().forEach((name, bytes) -> {
            found.add(name);
            shares.computeIfAbsent(name, first -> {
                ExecutionMemoryPool made = new ExecutionMemoryPool(this, MemoryMode.ON_HEAP);
                made.incrementPoolSize(bytes);
                return made;
            });
        });
        return found;
    }

    private static long acquired(ExecutionMemoryPool share, long wanted, long task) {
        return wanted == 0
                ? 0
                : share.acquireMemory(
                        wanted, task, share.acquireMemory$default$3(), share.acquireMemory$default$4());
    }

    @Override
    public synchronized void releaseExecutionMemory(long bytes, long task, MemoryMode mode) {
        super.releaseExecutionMemory(bytes, task, mode);
        if (mode == MemoryMode.ON_HEAP) {
            members.getOrDefault(task, List.of()).forEach(name -> shares.get(name).releaseMemory(bytes, task));
        }
    }

    @Override
    public synchronized long releaseAllExecutionMemoryForTask(long task) {
        List<String> own = members.remove(task);
        if (own != null) {
            own.forEach(name -> shares.get(name).releaseAllMemoryForTask(task));
            own.removeIf(name -> members.values().stream().anyMatch(each -> each.contains(name)));
            shares.keySet().removeAll(own);
        }
        return super.releaseAllExecutionMemoryForTask(task);
    }
}
