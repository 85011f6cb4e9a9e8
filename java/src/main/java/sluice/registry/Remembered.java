package sluice.registry;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * What registries have said, for everybody in this process: the newest of it that fits within a limit. What
 * cannot be found now is asked for again the next time.
 */
final class Remembered<T> {
    private static final int LOCKS = 64;

    private final Map<String, T> known = new LinkedHashMap<>(64, 0.75f, true);
    private final Object[] asking = new Object[LOCKS];
    private final int entries;
    private final long characters;
    private final ToIntFunction<T> length;
    private long held;

    Remembered(int entries, long characters, ToIntFunction<T> length) {
        this.entries = entries;
        this.characters = characters;
        this.length = length;
        for (int i = 0; i < LOCKS; i++) asking[i] = new Object();
    }

    /** What is known by a key; one who asks for it lets others who need the same wait. */
    T get(String key, Supplier<T> ask) {
        T found = at(key);
        if (found != null) return found;
        synchronized (asking[Math.floorMod(key.hashCode(), LOCKS)]) {
            found = at(key);
            if (found != null) return found;
            found = ask.get();
            if (found != null) put(key, found);
            return found;
        }
    }

    private synchronized T at(String key) {
        return known.get(key);
    }

    private synchronized void put(String key, T found) {
        known.put(key, found);
        held += key.length() + length.applyAsInt(found);
        Iterator<Map.Entry<String, T>> oldest = known.entrySet().iterator();
        while ((known.size() > entries || held > characters) && known.size() > 1) {
            Map.Entry<String, T> each = oldest.next();
            held -= each.getKey().length() + length.applyAsInt(each.getValue());
            oldest.remove();
        }
    }
}
