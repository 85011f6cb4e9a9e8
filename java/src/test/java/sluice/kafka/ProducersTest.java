package sluice.kafka;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The pool is one for the JVM, whichever data folders are open in it. */
class ProducersTest {
    private static Producers.Pooled kept(String name) {
        var pooled = new Producers.Pooled(name, Map.of("bootstrap.servers", "127.0.0.1:1"));
        Producers.keep(pooled);
        return pooled;
    }

    @Test
    void aSinkClosesItsOwnProducersAlone() {
        kept("sluice-one-1-0-0");
        var other = kept("sluice-other-1-0-0");
        var later = kept("sluice-one-2-0-0");
        Producers.close("sluice-one-1-0-");
        assertNull(Producers.take("sluice-one-1-0-0"));
        assertSame(other, Producers.take("sluice-other-1-0-0"));
        assertNull(Producers.take("sluice-other-1-0-0"), "whoever takes one has it alone");
        assertSame(later, Producers.take("sluice-one-2-0-0"));
        other.drop();
        later.drop();
    }
}
