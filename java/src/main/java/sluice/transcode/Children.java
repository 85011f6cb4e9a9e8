package sluice.transcode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The processes with ClickHouse of this JVM: each task has one of its own, and some wait for the next. */
final class Children {
    private static final int IDLE_MS = 60_000, START_S = 60;

    static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(Children::thread);
    private static final ExecutorService STARTER = Executors.newSingleThreadExecutor(Children::thread);
    private static final Deque<Child> WAITING = new ArrayDeque<>();

    static {
        CLOCK.scheduleWithFixedDelay(Children::endIdle, IDLE_MS, IDLE_MS / 4, TimeUnit.MILLISECONDS);
    }

    private Children() {}

    private static Thread thread(Runnable run) {
        Thread made = new Thread(run, "sluice-messages");
        made.setDaemon(true);
        return made;
    }

    /** One that waits, or a new one; that none can be started is the fault of no message. */
    static Child take(String python, String script) {
        synchronized (WAITING) {
            while (!WAITING.isEmpty()) {
                Child found = WAITING.pop();
                if (found.usable()) return found;
                found.close();
            }
        }
        try {
            return STARTER.submit(() -> new Child(python, script, START_S)).get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("A process with ClickHouse cannot be started with " + python
                + ", which needs the package chdb: " + failed.getCause().getMessage());
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The task was interrupted");
        }
    }

    /** Keep a process for the next task. */
    static void give(Child child) {
        child.idleSince = System.currentTimeMillis();
        synchronized (WAITING) {
            WAITING.push(child);
        }
    }

    private static void endIdle() {
        long since = System.currentTimeMillis() - IDLE_MS;
        List<Child> old = new ArrayList<>();
        synchronized (WAITING) {
            WAITING.removeIf(each -> each.idleSince < since && old.add(each));
        }
        old.forEach(Child::close);
    }

    static void remove(String folder) {
        try (Stream<Path> found = Files.walk(Path.of(folder))) {
            found.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
        } catch (IOException | UncheckedIOException gone) {
            // the process has removed it
        }
    }
}
