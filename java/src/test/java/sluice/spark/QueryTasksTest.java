package sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which query has allocated most, and when its tasks have ended. */
class QueryTasksTest {
    private final QueryTasks tasks = new QueryTasks();
    private final List<ExecutorService> threads = new ArrayList<>();

    /** A task in a thread of its own, which had allocated more before it began. */
    private void task(long id, String tag, int bytes) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        threads.add(thread);
        assertEquals(1 << 24, thread.submit(() -> new byte[1 << 24].length).get());
        thread.submit(() -> tasks.begun(id, tag)).get();
        assertEquals(bytes, thread.submit(() -> new byte[bytes].length).get());
    }

    @AfterEach
    void end() {
        threads.forEach(ExecutorService::shutdown);
    }

    @Test
    void theTasksOfAQueryCountTogether() throws Exception {
        assertNull(tasks.largest());
        task(1, "a", 3 << 20);
        task(2, "b", 4 << 20);
        task(3, "a", 3 << 20);
        assertEquals("a", tasks.largest());
        assertFalse(tasks.awaitAny()); // it need not wait
        assertFalse(tasks.awaitEnd("a", 1));
        tasks.ended(1);
        assertEquals("b", tasks.largest());
        tasks.ended(3);
        assertTrue(tasks.awaitEnd("a", 1));
    }
}
