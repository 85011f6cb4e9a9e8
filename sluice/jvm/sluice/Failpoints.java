package sluice;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Places in the JVM where a test can make everything die, as {@code pipelines/failpoints.py} has
 * them in Python, or suspend the JVM: {@code SLUICE_FAILPOINTS="txn.before_commit=kill9@3"}, {@code
 * "delta.before_commit=stop"}.
 */
public final class Failpoints {
    private static final Map<String, AtomicInteger> LEFT = armed(System.getenv("SLUICE_FAILPOINTS"), "kill9");
    private static final Map<String, AtomicInteger> STOPS = armed(System.getenv("SLUICE_FAILPOINTS"), "stop");

    private Failpoints() {}

    /** Pass a point. */
    public static void hit(String name) {
        AtomicInteger stop = STOPS.get(name);
        if (stop != null && stop.decrementAndGet() == 0) {
            suspend();
        }
        AtomicInteger left = LEFT.get(name);
        if (left != null && left.decrementAndGet() == 0) {
            ProcessHandle.current().parent().ifPresent(ProcessHandle::destroyForcibly);
            Runtime.getRuntime().halt(137);
        }
    }

    /** Stop all threads of this JVM, until somebody sends it SIGCONT. */
    private static void suspend() {
        try {
            new ProcessBuilder("kill", "-STOP", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static Map<String, AtomicInteger> armed(String rules, String action) {
        Map<String, AtomicInteger> points = new ConcurrentHashMap<>();
        for (String rule : rules == null ? new String[0] : rules.split(",")) {
            String[] parts = rule.split("=" + action + "@?", 2);
            if (parts.length == 2) {
                points.put(parts[0], new AtomicInteger(parts[1].isEmpty() ? 1 : Integer.parseInt(parts[1])));
            }
        }
        return points;
    }
}
