package sluice.registry;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import sluice.scan.BadValue;

/** The plans of the schemas that a decoder has seen last, or why one has none: each is made once. */
public final class Plans<K, V> {
    private static final int MOST = 256;

    /** A plan, or what is wrong. */
    private record Made<V>(V plan, BadValue bad) {}

    private final Map<K, Made<V>> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Made<V>> eldest) {
            return size() > MOST;
        }
    };

    /** The plan of a schema; null where there is no such schema yet. */
    public synchronized V get(K key, Supplier<V> make) {
        Made<V> found = known.get(key);
        if (found == null) {
            found = made(make);
            if (found.plan == null && found.bad == null) return null;
            known.put(key, found);
        }
        if (found.bad != null) throw found.bad;
        return found.plan;
    }

    private static <V> Made<V> made(Supplier<V> make) {
        try {
            return new Made<>(make.get(), null);
        } catch (BadValue bad) {
            return new Made<>(null, bad);
        }
    }
}
