package sluice.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Batches end between source transactions. */
class TransactionCutTest {
    private static final long MINUTE = 60_000;

    private static Map<String, Long> at(long first, long second) {
        return new TreeMap<>(Map.of("t 0", first, "t 1", second));
    }

    /** A cut with a clock that is the messages' time too. */
    private static final class Feed {
        final TransactionCut cut;
        long clock;
        long ends;

        Feed(boolean fresh) {
            cut = new TransactionCut(MINUTE, fresh);
        }

        /** An event; an order of 0 for a message without a transaction. */
        void event(int partition, long offset, String id, long order) {
            if (order > 0) {
                cut.event("t " + partition, offset, new TransactionMark(id, order), clock, clock);
            }
            cut.read("t " + partition, offset + 1, clock);
        }

        void end(String id, long events) {
            cut.end(id, events, ends++, clock, clock);
            cut.read("ends 0", ends, clock);
        }

        Map<String, Long> until(long first, long second) {
            return cut.until(at(0, 0), at(first, second), null);
        }

        /** Time passes, and there are no messages. */
        void idle(long time) {
            clock += time;
            for (String each : List.of("t 0", "t 1", "ends 0")) {
                cut.read(each, each.startsWith("t") ? 100 : ends, clock);
            }
            cut.release(clock);
        }
    }

    @Test
    void anIncompleteTransactionKeepsWhatIsEntangledWithIt() {
        Feed feed = new Feed(false);
        feed.event(0, 0, "", 0);
        feed.event(0, 1, "a", 1);
        feed.event(1, 0, "a", 2);
        feed.end("a", 2);
        assertEquals(at(2, 1), feed.until(9, 9));
        feed.event(0, 2, "b", 1); // b waits for its second event; c is after it in partition 0
        feed.event(0, 3, "c", 1);
        feed.event(1, 1, "", 0);
        feed.event(1, 2, "c", 2);
        feed.end("b", 2);
        feed.end("c", 2);
        assertEquals(at(2, 2), feed.until(9, 9));
        assertEquals(new TransactionCut.Last("a", 0), feed.cut.planned(at(2, 2)));
        feed.event(1, 3, "b", 2);
        assertEquals(at(4, 4), feed.until(9, 9));
        assertEquals(new TransactionCut.Last("c", 2), feed.cut.planned(at(4, 4)));
        assertEquals(at(2, 2), feed.until(9, 3)); // a smaller batch
        assertEquals(at(1, 0), feed.until(9, 0));
        assertNull(feed.cut.planned(at(1, 0)));
        assertFalse(feed.cut.reached(at(4, 4)));
        feed.cut.endsRead(true);
        assertTrue(feed.cut.reached(at(4, 4)));
        assertFalse(feed.cut.reached(at(4, 5)));
    }

    @Test
    void noEndAndARepeatedEventAreNotComplete() {
        Feed feed = new Feed(false);
        feed.event(0, 0, "571", 1);
        assertEquals(at(0, 0), feed.until(9, 9));
        feed.event(0, 1, "571", 1); // a connector that was restarted writes it again
        feed.end("571:8", 2);
        assertEquals(at(0, 0), feed.until(9, 9));
        feed.event(0, 2, "571", 2);
        assertEquals(at(3, 0), feed.until(9, 9));
        assertEquals("571:8", feed.cut.planned(at(3, 0)).id());
    }

    @Test
    void whatStaysIncompleteIsReleasedAndReported() {
        Feed feed = new Feed(false);
        feed.event(0, 0, "a", 1);
        feed.end("a", 2);
        feed.event(1, 0, "b", 1);
        feed.idle(MINUTE - 1);
        assertEquals(at(0, 0), feed.until(9, 9));
        feed.idle(1);
        assertEquals(at(9, 9), feed.until(9, 9));
        List<TransactionCut.Released> told = feed.cut.takeReleased();
        assertEquals(List.of("a", "b"), told.stream().map(TransactionCut.Released::id).toList());
        assertEquals(List.of(2L, -1L), told.stream().map(TransactionCut.Released::expected).toList());
        assertEquals(0, told.get(0).ranges().get("t 0")[1]);
        assertTrue(feed.cut.takeReleased().isEmpty());
        feed.cut.admitted(at(1, 1));
        feed.event(1, 101, "a", 2); // late: its END is known, so it waits for a moment only
        assertEquals(at(100, 101), feed.until(200, 200));
        feed.idle(TransactionCut.GRACE_MS);
        feed.cut.read("t 1", 102, feed.clock);
        assertEquals(at(100, 102), feed.until(200, 200));
        assertTrue(feed.cut.takeReleased().isEmpty());
    }

    @Test
    void aBacklogIsNotOverdueWhileItIsRead() {
        Feed feed = new Feed(false);
        feed.event(0, 0, "a", 1);
        feed.cut.read("t 1", 0, 0);
        feed.end("a", 2);
        feed.cut.release(10 * MINUTE); // partition 1 was not read further meanwhile
        assertEquals(at(0, 0), feed.until(9, 9));
        feed.event(1, 0, "a", 2);
        assertEquals(at(1, 1), feed.until(9, 9));
        assertTrue(feed.cut.takeReleased().isEmpty());
    }

    @Test
    void aTransactionThatBeganBeforeTheFirstOffsetWaitsForItsEnd() {
        for (boolean fresh : new boolean[] {true, false}) {
            Feed feed = new Feed(fresh);
            feed.event(0, 0, "a", 2);
            feed.event(1, 0, "b", 1); // this one began here
            feed.idle(TransactionCut.GRACE_MS);
            assertEquals(at(0, 0), feed.until(100, 100));
            feed.end("a", 2);
            feed.end("b", 2);
            feed.idle(TransactionCut.GRACE_MS);
            assertEquals(at(fresh ? 100 : 0, 0), feed.until(100, 100));
            assertTrue(feed.cut.takeReleased().isEmpty());
            feed.cut.planned(at(50, 0));
            feed.event(0, 100, "c", 2);
            feed.end("c", 2);
            feed.idle(TransactionCut.GRACE_MS);
            feed.cut.read("t 0", 101, feed.clock);
            assertEquals(at(fresh ? 100 : 0, 0), feed.until(200, 200));
        }
    }

    @Test
    void boundsDoNotWaitForWhatIsAfterThem() {
        Feed feed = new Feed(false);
        feed.event(0, 0, "a", 1);
        feed.event(0, 1, "a", 2);
        feed.event(1, 0, "b", 1);
        feed.end("a", 2);
        Map<String, Long> bounds = Map.of("t 0", 1L);
        assertEquals(at(1, 0), feed.cut.until(at(0, 0), at(1, 0), bounds));
    }

    @Test
    void memoryIsBounded() {
        Feed feed = new Feed(false);
        for (int n = 0; n < TransactionCut.ENOUGH; n++) {
            feed.end("x" + n, 1);
        }
        assertTrue(feed.cut.fullOfEnds());
        assertFalse(feed.cut.fullOfEvents());
        feed.event(0, 0, "a", 1);
        feed.until(9, 9);
        assertFalse(feed.cut.fullOfEnds()); // nothing can be admitted: the END of a is needed
        feed.end("a", 1);
        feed.until(9, 9);
        assertTrue(feed.cut.fullOfEnds());
        feed.idle(MINUTE);
        assertFalse(feed.cut.fullOfEnds()); // nothing came of those
        for (int n = 0; n <= TransactionCut.MOST; n++) {
            feed.event(0, n + 1, "y" + n, 1);
        }
        feed.cut.release(feed.clock);
        assertEquals(List.of("y0"), feed.cut.takeReleased().stream().map(TransactionCut.Released::id).toList());
    }

    /** One message of a random topic: its transaction, or -1, and its order in that. */
    private record Message(int transaction, int order) {}

    @Test
    void randomInterleavings() {
        for (int seed = 0; seed < 300; seed++) {
            new RandomTopics(seed).run();
        }
    }

    /** Random transactions over some partitions, read in a random order, admitted in random batches. */
    private static final class RandomTopics {
        private final int seed;
        private final Random random;
        private final int partitions;
        private final List<List<Message>> logs = new ArrayList<>();
        private final List<Integer> ends = new ArrayList<>();
        private final Map<Integer, Integer> sizes = new HashMap<>();
        private final int[] read;
        private int endsRead;
        private final TransactionCut cut = new TransactionCut(MINUTE, false);

        RandomTopics(int seed) {
            this.seed = seed;
            random = new Random(seed);
            partitions = 1 + random.nextInt(4);
            read = new int[partitions];
            for (int p = 0; p < partitions; p++) {
                logs.add(new ArrayList<>());
            }
            int count = 1 + random.nextInt(12);
            List<Integer> open = new ArrayList<>();
            for (int t = 0; t < count; t++) {
                sizes.put(t, 1 + random.nextInt(random.nextInt(10) == 0 ? 40 : 4));
                ends.add(random.nextInt(ends.size() + 1), t);
                for (int n = 0; n < sizes.get(t); n++) {
                    open.add(t);
                }
            }
            Map<Integer, Integer> orders = new HashMap<>();
            while (!open.isEmpty()) {
                // Mostly one after the other, as connectors write them.
                int t = open.remove(random.nextInt(Math.min(open.size(), 3)));
                List<Message> log = logs.get(random.nextInt(partitions));
                if (random.nextInt(6) == 0) {
                    log.add(new Message(-1, 0));
                }
                log.add(new Message(t, orders.merge(t, 1, Integer::sum)));
            }
        }

        void run() {
            Map<String, Long> start = whole(0);
            Map<String, Long> all = new TreeMap<>();
            for (int p = 0; p < partitions; p++) {
                all.put("t " + p, (long) logs.get(p).size());
            }
            while (step()) {
                if (random.nextInt(3) > 0) {
                    continue;
                }
                Map<String, Long> limit = new TreeMap<>(start);
                limit.replaceAll((p, from) -> from + random.nextInt(1 + (int) (all.get(p) - from)));
                limit = random.nextBoolean() ? all : limit;
                Map<String, Long> until = cut.until(start, limit, null);
                assertEquals(naive(start, limit), until, "seed " + seed);
                isWhole(until);
                if (random.nextBoolean()) {
                    start = until;
                    cut.admitted(start);
                }
            }
            assertEquals(all, cut.until(start, all, null), "seed " + seed);
            cut.admitted(all);
            assertNull(cut.planned(all));
        }

        private Map<String, Long> whole(long offset) {
            Map<String, Long> found = new TreeMap<>();
            for (int p = 0; p < partitions; p++) {
                found.put("t " + p, offset);
            }
            return found;
        }

        /** Reads one message; false if there are no more. */
        private boolean step() {
            List<Integer> left = new ArrayList<>();
            for (int p = 0; p < partitions; p++) {
                if (read[p] < logs.get(p).size()) {
                    left.add(p);
                }
            }
            if (endsRead < ends.size()) {
                left.add(partitions);
            }
            if (left.isEmpty()) {
                return false;
            }
            int p = left.get(random.nextInt(left.size()));
            if (p == partitions) {
                int t = ends.get(endsRead);
                cut.end("x" + t, sizes.get(t), endsRead++, 0, 0);
                return true;
            }
            Message message = logs.get(p).get(read[p]);
            if (message.transaction >= 0) {
                cut.event("t " + p, read[p], new TransactionMark("x" + message.transaction, message.order), 0, 0);
            }
            cut.read("t " + p, ++read[p], 0);
            return true;
        }

        /** Every transaction is before the cut with all of its events, or with none. */
        private void isWhole(Map<String, Long> until) {
            Map<Integer, Integer> before = new HashMap<>();
            for (int p = 0; p < partitions; p++) {
                for (Message each : logs.get(p).subList(0, (int) (long) until.get("t " + p))) {
                    before.merge(each.transaction, 1, Integer::sum);
                }
            }
            before.remove(-1);
            before.forEach((t, count) -> assertEquals(sizes.get(t), count, "seed " + seed + ", transaction " + t));
        }

        /** The largest consistent cut, found by trying. */
        private Map<String, Long> naive(Map<String, Long> start, Map<String, Long> limit) {
            Map<String, Long> until = new TreeMap<>();
            for (int p = 0; p < partitions; p++) {
                until.put("t " + p, Math.max(start.get("t " + p), Math.min(limit.get("t " + p), read[p])));
            }
            Set<Integer> excluded = new HashSet<>();
            while (true) {
                Map<Integer, Integer> before = new HashMap<>();
                for (int p = 0; p < partitions; p++) {
                    for (Message each : logs.get(p).subList(0, (int) (long) until.get("t " + p))) {
                        before.merge(each.transaction, 1, Integer::sum);
                    }
                }
                before.remove(-1);
                Set<Integer> ended = new HashSet<>(ends.subList(0, endsRead));
                before.forEach((t, count) -> {
                    if (count < sizes.get(t) || !ended.contains(t)) {
                        excluded.add(t);
                    }
                });
                Map<String, Long> next = new TreeMap<>(until);
                for (int p = 0; p < partitions; p++) {
                    for (int n = 0; n < until.get("t " + p); n++) {
                        if (excluded.contains(logs.get(p).get(n).transaction)) {
                            next.merge("t " + p, Math.max((long) n, start.get("t " + p)), Math::min);
                            break;
                        }
                    }
                }
                if (next.equals(until)) {
                    return until;
                }
                until = next;
            }
        }
    }
}
