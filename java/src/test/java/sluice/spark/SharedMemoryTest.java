package sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryMode;
import org.junit.jupiter.api.Test;

/** Who gets how much of a heap of 1,000 bytes, of which queries may have 500. */
class SharedMemoryTest {
    private static final Map<String, Long> PIPELINE = Map.of(), QUERY = Map.of("queries", 500L);

    private final ThreadLocal<Map<String, Long>> asking = new ThreadLocal<>();
    private final SharedMemory memory = new SharedMemory(new SparkConf(false), 1000, asking::get);

    private long acquire(long task, long bytes, Map<String, Long> of) {
        asking.set(of);
        return memory.acquireExecutionMemory(bytes, task, MemoryMode.ON_HEAP);
    }

    @Test
    void aBatchDoesNotWaitForWhatAQueryHolds() {
        assertEquals(500, acquire(1, 800, QUERY)); // alone it could have had all, until its end
        assertEquals(0, acquire(1, 100, QUERY));
        assertEquals(400, acquire(2, 400, PIPELINE));
        memory.releaseExecutionMemory(200, 1, MemoryMode.ON_HEAP);
        assertEquals(100, acquire(1, 100, QUERY));
        assertEquals(400, memory.releaseAllExecutionMemoryForTask(1));
        assertEquals(500, acquire(2, 500, PIPELINE));
        assertEquals(900, memory.executionMemoryUsed());
    }

    @Test
    void tasksOfQueriesWaitForEachOther() throws Exception {
        assertEquals(500, acquire(1, 500, QUERY));
        var second = CompletableFuture.supplyAsync(() -> acquire(2, 100, QUERY));
        assertEquals(100, acquire(3, 100, PIPELINE));
        assertFalse(second.isDone());
        memory.releaseExecutionMemory(300, 1, MemoryMode.ON_HEAP); // it has spilled
        assertEquals(100, second.get(60, TimeUnit.SECONDS));
    }

    @Test
    void aQueryHasNoMoreThanItsLimit() {
        Map<String, Long> limited = Map.of("queries", 500L, "sluice-7", 100L);
        assertEquals(100, acquire(1, 300, limited));
        assertEquals(250, acquire(2, 300, QUERY)); // one of two tasks
        memory.releaseExecutionMemory(50, 1, MemoryMode.ON_HEAP);
        assertEquals(50, acquire(1, 300, limited));
        assertEquals(100, memory.releaseAllExecutionMemoryForTask(1));
        assertEquals(150, acquire(3, 150, Map.of("queries", 500L, "sluice-7", 200L)));
        memory.releaseAllExecutionMemoryForTask(3);
        memory.releaseAllExecutionMemoryForTask(2);
        assertEquals(0, memory.executionMemoryUsed());
    }
}
