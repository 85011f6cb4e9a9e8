package sluice.spark;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** The tasks of queries that run in this JVM, and how much each query has allocated with them. */
final class QueryTasks {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A task: the tag of its query's jobs, its thread, and what that had allocated before. */
    private record Task(String tag, long thread, long before) {
        long allocated() {
            return THREADS.getThreadAllocatedBytes(thread) - before;
        }
    }

    private final Map<Long, Task> running = new HashMap<>();

    /** This thread begins a task. */
    synchronized void begun(long task, String tag) {
        long thread = Thread.currentThread().getId();
        running.put(task, new Task(tag, thread, THREADS.getThreadAllocatedBytes(thread)));
        notifyAll();
    }

    synchronized void ended(long task) {
        running.remove(task);
        notifyAll();
    }

    /** Waits while there is none; whether it had to. */
    synchronized boolean awaitAny() throws InterruptedException {
        boolean waited = running.isEmpty();
        while (running.isEmpty()) {
            wait();
        }
        return waited;
    }

    /** Waits until those with a tag have ended; whether they have in time. */
    synchronized boolean awaitEnd(String tag, long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * 1_000_000;
        while (running.values().stream().anyMatch(task -> task.tag().equals(tag))) {
            long left = (until - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    /** The tag of those that have allocated most together; null if there is none. */
    synchronized String largest() {
        Map<String, Long> allocated = new HashMap<>();
        running.values().forEach(task -> allocated.merge(task.tag(), task.allocated(), Long::sum));
        return allocated.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey).orElse(null);
    }
}
