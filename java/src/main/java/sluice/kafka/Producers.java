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
 * The pool of this JVM's producers, each waiting for the next batch of its task.
 *
 * <p>A task takes one out and then has it to itself. Only a producer that has written all of a batch
 * is returned; any other is closed, and the next task opens a new one.
 */
final class Producers {
    private static final Map<String, Pooled> WAITING = new ConcurrentHashMap<>();
    private static final long IDLE_MS = TimeUnit.MINUTES.toMillis(5);
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    static {
        Thread sweeper = new Thread(Producers::sweep, "sluice-producers");
        sweeper.setDaemon(true);
        sweeper.start();
    }

    private Producers() {}

    /** A producer and, if it writes in transactions, the batch that its task has to write next. */
    static final class Pooled {
        final String name;
        final KafkaProducer<byte[], byte[]> producer;
        long next;
        private long since;

        Pooled(String name, Map<String, Object> properties) {
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
    static Pooled take(String name) {
        return WAITING.remove(name);
    }

    /** Give a producer back. */
    static void keep(Pooled pooled) {
        pooled.since = System.currentTimeMillis();
        Pooled other = WAITING.put(pooled.name, pooled);
        if (other != null) {
            other.drop(); // of a task that was given up for lost
        }
    }

    /** Close those whose names begin like this. */
    static void close(String prefix) {
        close(pooled -> pooled.name.startsWith(prefix));
    }

    private static void close(Predicate<Pooled> which) {
        List<Pooled> found = new ArrayList<>();
        for (Pooled pooled : WAITING.values()) {
            if (which.test(pooled) && WAITING.remove(pooled.name, pooled)) {
                found.add(pooled);
            }
        }
        found.forEach(pooled -> pooled.producer.close(LAST_WORDS));
    }

    private static void sweep() {
        while (true) {
            try {
                TimeUnit.SECONDS.sleep(30);
            } catch (InterruptedException stop) {
                return;
            }
            long before = System.currentTimeMillis() - IDLE_MS;
            close(pooled -> pooled.since < before);
        }
    }
}
