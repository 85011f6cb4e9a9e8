package sluice.faults;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Places in the JVM where a test can make everything die, as {@code engine/failpoints.py} has
 * them in Python, or suspend the JVM: {@code SLUICE_FAILPOINTS="txn.before_commit=kill9@3"}, {@code
 * "delta.before_commit=stop"}.
 */
public final class Failpoints {
    /** What happens when a point is passed for the last of so many times. */
    enum Action {
        KILL9 {
            @Override
            void run() {
                ProcessHandle.current().parent().ifPresent(ProcessHandle::destroyForcibly);
                Runtime.getRuntime().halt(137);
            }
        },
        STOP {
            @Override
            void run() { // all threads of this JVM, until somebody sends it SIGCONT
                String pid = String.valueOf(ProcessHandle.current().pid());
                try {
                    new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
                } catch (IOException | InterruptedException failed) {
                    throw new IllegalStateException(failed);
                }
            }
        };

        abstract void run();
    }

    /** A rule of one point. */
    record Rule(Action action, AtomicInteger left) {
        /** Count a pass; whether it is the one that the rule waits for. */
        boolean isDue() {
            return left.decrementAndGet() == 0;
        }
    }

    private static final Map<String, Rule> RULES = rules(System.getenv("SLUICE_FAILPOINTS"));

    private Failpoints() {}

    /** Pass a point. */
    public static void hit(String name) {
        Rule rule = RULES.get(name);
        if (rule != null && rule.isDue()) {
            rule.action.run();
        }
    }

    /** From {@code point=action@n,…}; rules with actions of the Python side alone are left out. */
    static Map<String, Rule> rules(String text) {
        Map<String, Rule> found = new HashMap<>();
        for (String each : text == null ? new String[0] : text.split(",")) {
            String[] parts = each.split("=", 2);
            String[] way = parts.length < 2 ? new String[] {""} : parts[1].split("@", 2);
            for (Action action : Action.values()) {
                if (action.name().equalsIgnoreCase(way[0])) {
                    int nth = way.length < 2 || way[1].isEmpty() ? 1 : Integer.parseInt(way[1]);
                    found.put(parts[0], new Rule(action, new AtomicInteger(nth)));
                }
            }
        }
        return found;
    }
}
