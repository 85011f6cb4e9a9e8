package sluice;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Places in the JVM where a test can make everything die, as {@code pipelines/failpoints.py} has
 * them in Python: {@code SLUICE_FAILPOINTS="txn.before_commit=kill9@3"}.
 */
final class Failpoints {
    private static final Map<String, AtomicInteger> LEFT = armed(System.getenv("SLUICE_FAILPOINTS"));

    private Failpoints() {}

    /** Pass a point. */
    static void hit(String name) {
        AtomicInteger left = LEFT.get(name);
        if (left != null && left.decrementAndGet() == 0) {
            ProcessHandle.current().parent().ifPresent(ProcessHandle::destroyForcibly);
            Runtime.getRuntime().halt(137);
        }
    }

    private static Map<String, AtomicInteger> armed(String rules) {
        Map<String, AtomicInteger> points = new ConcurrentHashMap<>();
        for (String rule : rules == null ? new String[0] : rules.split(",")) {
            String[] parts = rule.split("=kill9@?", 2);
            if (parts.length == 2) {
                points.put(parts[0], new AtomicInteger(parts[1].isEmpty() ? 1 : Integer.parseInt(parts[1])));
            }
        }
        return points;
    }
}
