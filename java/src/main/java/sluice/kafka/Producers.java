package sluice.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The producers of this JVM that wait for the next batch of their task.
 *
 * <p>A task takes one out and is then alone with it. Only a producer that did all it was told to
 * comes back; any other is closed, and the next task makes a new one.
 */
final class Producers {
    private static final Map<String, Held> WAITING = new ConcurrentHashMap<>();
    private static final long IDLE_MS = TimeUnit.MINUTES.toMillis(5);
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    static {
        Thread sweeper = new Thread(Producers::sweep, "sluice-producers");
        sweeper.setDaemon(true);
        sweeper.start();
    }

    private Producers() {}

    /** A producer and, if it writes in transactions, the batch that its task has to write next. */
    static final class Held {
        final String name;
        final KafkaProducer<byte[], byte[]> producer;
        long next;
        private long since;

        Held(String name, Map<String, Object> properties) {
            var bytes = new ByteArraySerializer();
            this.name = name;
            this.producer = new KafkaProducer<>(properties, bytes, bytes);
        }

        /** Let go of it without waiting for what it still has. */
        void drop() {
            producer.close(Duration.ZERO);
        }
    }

    /** The producer of that name, if one waits; it is the caller's then. */
    static Held take(String name) {
        return WAITING.remove(name);
    }

    /** Give a producer back. */
    static void keep(Held held) {
        held.since = System.currentTimeMillis();
        Held other = WAITING.put(held.name, held);
        if (other != null) {
            other.drop(); // of a task that was given up for lost
        }
    }

    /** Close those whose names begin like this. */
    static void close(String prefix) {
        close(held -> held.name.startsWith(prefix));
    }

    private static void close(Predicate<Held> which) {
        List<Held> found = new ArrayList<>();
        for (Held held : WAITING.values()) {
            if (which.test(held) && WAITING.remove(held.name, held)) {
                found.add(held);
            }
        }
        found.forEach(held -> held.producer.close(LAST_WORDS));
    }

    private static void sweep() {
        while (true) {
            try {
                TimeUnit.SECONDS.sleep(30);
            } catch (InterruptedException stop) {
                return;
            }
            long before = System.currentTimeMillis() - IDLE_MS;
            close(held -> held.since < before);
        }
    }
}
