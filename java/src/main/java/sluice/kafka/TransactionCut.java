package sluice.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far batches may go so that none ends within a source transaction.
 *
 * <p>A transaction is complete when as many of its events were read as its END states. The cut of a
 * partition is before its first event of a transaction that is not complete, or of one that has an
 * event after the cut of another partition. Messages without a transaction follow their neighbours.
 *
 * <p>A transaction that does not become complete is released: it does not matter for cuts any more.
 * That happens a while after its last event, in time as it passes here and as the partitions'
 * timestamps have it: a backlog that is read quickly releases nothing that was complete when it was
 * written. Only what is not admitted yet is kept, and the ids of the last transactions that were.
 *
 * <p>Offsets are by partition, a topic and a number as one text.
 */
final class TransactionCut {
    /** So many transactions are kept before reading waits for the next batch. */
    static final int ENOUGH = 100_000;

    /** With so many the oldest one that is not complete is released. */
    static final int MOST = 500_000;

    /** How long a transaction that began before what is read waits after its END. */
    static final long GRACE_MS = 5_000;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REMEMBERED = 50_000;
    private static final long MOST_ORDERS = 1L << 27;

    private final long timeoutMs;
    private boolean fresh;
    private boolean blocked;
    private boolean endsRead;
    private int ended; // of those that are kept, how many have an END and no event yet
    private final Map<String, Pending> pending = new LinkedHashMap<>();
    private final Map<String, Long> position = new HashMap<>();
    private final Map<String, Long> passed = new HashMap<>();
    private final List<Released> released = new ArrayList<>();
    private final Map<String, Long> admitted = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    /**
     * For a table.
     *
     * @param timeoutMs how long after its last event an incomplete transaction is released
     * @param fresh whether reading begins at any offset, not at the end of a batch or of what is deleted
     */
    TransactionCut(long timeoutMs, boolean fresh) {
        this.timeoutMs = timeoutMs;
        this.fresh = fresh;
    }

    /**
     * A transaction that was released.
     *
     * @param expected how many events its END states; -1 if there was no END for the table's topics
     * @param ranges its first and last offset in each partition
     */
    record Released(String id, long events, long expected, Map<String, long[]> ranges) {
        String json() {
            try {
                return JSON.writeValueAsString(
                        Map.of("id", id, "events", events, "expected", expected, "ranges", ranges));
            } catch (JsonProcessingException never) {
                throw new IllegalStateException(never);
            }
        }
    }

    /**
     * The last transaction before a cut: its END is the last one in the transaction topic.
     *
     * @param place the offset of its END
     */
    record Last(String id, long place) {}

    /** An event of a transaction, at an offset of a partition. */
    synchronized void event(String partition, long offset, TransactionMark mark, long stamp, long clock) {
        Pending of = seen(mark.id(), stamp, clock);
        if (of.spans == 0 && of.place >= 0) {
            ended--;
        }
        of.extend(partition, offset);
        of.count(mark.order());
    }

    /** The END of a transaction that has so many events in the table's topics. */
    synchronized void end(String id, long events, long place, long stamp, long clock) {
        Pending of = seen(TransactionMark.key(id), stamp, clock);
        if (of.spans == 0 && of.place < 0) {
            ended++;
        }
        of.expected = events;
        of.place = place;
        of.name = id;
    }

    private Pending seen(String id, long stamp, long clock) {
        Pending of = pending.get(id);
        if (of == null) {
            of = new Pending(id);
            Long known = admitted.get(id);
            of.again = fresh || known != null;
            of.expected = known == null ? -1 : known;
            pending.put(id, of);
        }
        of.seenAt = clock;
        of.stamp = Math.max(of.stamp, stamp);
        return of;
    }

    /**
     * A partition, of the table or of the transaction topic, was read up to an offset.
     *
     * @param time of the last message, or of now if there are no more
     */
    synchronized void read(String partition, long until, long time) {
        position.put(partition, until);
        passed.merge(partition, time, Math::max);
    }

    /** A partition of the transaction topic is read again from an earlier offset. */
    synchronized void rewound(String partition) {
        passed.put(partition, Long.MIN_VALUE);
    }

    /** Whether enough events are known for a batch, so that reading more may wait. */
    synchronized boolean fullOfEvents() {
        return pending.size() - ended >= ENOUGH && !blocked;
    }

    /** Whether there are enough ENDs of what comes. */
    synchronized boolean fullOfEnds() {
        return ended >= ENOUGH && !blocked;
    }

    /** Whether the transaction topic was read to its end. */
    synchronized void endsRead(boolean all) {
        endsRead = all;
    }

    /** Whether the partitions were read so far, and the transaction topic to its end. */
    synchronized boolean reached(Map<String, Long> end) {
        return endsRead
                && end.entrySet().stream().allMatch(e -> position.getOrDefault(e.getKey(), 0L) >= e.getValue());
    }

    /** Forgets what batches up to these offsets have. */
    synchronized void admitted(Map<String, Long> start) {
        for (Iterator<Pending> each = pending.values().iterator(); each.hasNext(); ) {
            Pending of = each.next();
            int before = of.spans;
            of.trim(start);
            if (of.spans < before) {
                admitted.put(of.id, of.expected);
                if (of.spans == 0) {
                    each.remove();
                }
            }
        }
    }

    /** Releases the transactions whose time is over. */
    synchronized void release(long clock) {
        long least = passed.values().stream().mapToLong(Long::longValue).min().orElse(Long.MIN_VALUE);
        boolean many = pending.size() > MOST;
        for (Iterator<Pending> each = pending.values().iterator(); each.hasNext(); ) {
            Pending of = each.next();
            boolean brief = of.beganBefore();
            long patience = brief ? Math.min(GRACE_MS, timeoutMs) : timeoutMs;
            boolean over = clock - of.seenAt >= patience && least >= of.stamp + patience;
            if (of.complete() || !over && !many) {
                continue;
            }
            many = false;
            if (of.spans == 0) {
                each.remove();
                ended--;
                continue;
            }
            of.released = true;
            if (!brief) {
                released.add(new Released(of.name(), of.events, of.expected, of.ranges()));
            }
        }
    }

    /** What was released since the last call, without those that began before what is read. */
    synchronized List<Released> takeReleased() {
        List<Released> taken = List.copyOf(released);
        released.clear();
        return taken;
    }

    /**
     * The consistent cut.
     *
     * @param start where the last batch ended
     * @param end no partition's cut is after this
     * @param bounds offsets from which on messages do not count, or null
     */
    synchronized Map<String, Long> until(Map<String, Long> start, Map<String, Long> end, Map<String, Long> bounds) {
        Cut cut = new Cut(start, end, bounds);
        blocked = cut.until.entrySet().stream().allMatch(e -> e.getValue() <= start.getOrDefault(e.getKey(), 0L));
        return cut.until;
    }

    /** A batch goes up to these offsets: the last transaction in it; null if there is none. */
    synchronized Last planned(Map<String, Long> until) {
        fresh = false;
        Pending last = null;
        for (Pending of : pending.values()) {
            if (of.place >= 0 && of.spans > 0 && of.before(until) && (last == null || of.place > last.place)) {
                last = of;
            }
        }
        return last == null ? null : new Last(last.name, last.place);
    }

    private final class Cut {
        private final Map<String, Long> until = new TreeMap<>();
        private final Map<String, List<Span>> spans = new HashMap<>();
        private final Map<String, Integer> seen = new HashMap<>();
        private final Deque<Pending> excluded = new ArrayDeque<>();

        Cut(Map<String, Long> start, Map<String, Long> end, Map<String, Long> bounds) {
            end.forEach((partition, there) -> {
                long from = start.getOrDefault(partition, 0L);
                until.put(partition, Math.max(from, Math.min(there, position.getOrDefault(partition, from))));
            });
            for (Pending of : pending.values()) {
                of.excluded = false;
                for (int n = 0; n < of.spans; n++) {
                    long bound = bounds == null ? Long.MAX_VALUE : bounds.getOrDefault(of.partitions[n], 0L);
                    if (of.offsets[2 * n] < bound) {
                        spans.computeIfAbsent(of.partitions[n], p -> new ArrayList<>())
                                .add(new Span(of, Math.min(of.offsets[2 * n + 1], bound - 1)));
                    }
                }
                if (!of.complete()) {
                    exclude(of);
                }
            }
            spans.values().forEach(each -> each.sort(Comparator.comparingLong(span -> -span.last)));
            spans.keySet().forEach(this::after);
            while (!excluded.isEmpty()) {
                Pending of = excluded.poll();
                for (int n = 0; n < of.spans; n++) {
                    long first = of.offsets[2 * n];
                    Long now = until.get(of.partitions[n]);
                    if (now != null && first < now) {
                        until.put(of.partitions[n], Math.max(first, start.getOrDefault(of.partitions[n], 0L)));
                        after(of.partitions[n]);
                    }
                }
            }
        }

        /** Excludes the transactions with an event after a partition's cut: from the last ones on. */
        private void after(String partition) {
            long cut = until.getOrDefault(partition, 0L);
            List<Span> those = spans.getOrDefault(partition, List.of());
            int n = seen.getOrDefault(partition, 0);
            while (n < those.size() && those.get(n).last >= cut) {
                exclude(those.get(n++).of);
            }
            seen.put(partition, n);
        }

        private void exclude(Pending of) {
            if (!of.excluded && !of.released) {
                of.excluded = true;
                excluded.add(of);
            }
        }
    }

    private record Span(Pending of, long last) {}

    /** A transaction that is not admitted yet. */
    private static final class Pending {
        private final String id;
        private String name;
        private String[] partitions = new String[1];
        private long[] offsets = new long[2]; // the first and the last, of each partition
        private int spans;
        private final BitSet orders = new BitSet();
        private long events;
        private long expected = -1;
        private long place = -1;
        private long seenAt;
        private long stamp = Long.MIN_VALUE;
        private boolean again; // it may have begun before what is read, or was admitted before
        private boolean released;
        private boolean excluded;

        Pending(String id) {
            this.id = id;
        }

        String name() {
            return name == null ? id : name;
        }

        boolean complete() {
            return released || expected >= 0 && events >= expected;
        }

        /** Whether its first events are not among those that are read, and its END is there. */
        boolean beganBefore() {
            return again && expected >= 0 && orders.nextSetBit(0) > 1;
        }

        void extend(String partition, long offset) {
            for (int n = 0; n < spans; n++) {
                if (partitions[n].equals(partition)) {
                    offsets[2 * n + 1] = offset;
                    return;
                }
            }
            if (spans == partitions.length) {
                partitions = Arrays.copyOf(partitions, spans + 2);
                offsets = Arrays.copyOf(offsets, 2 * spans + 4);
            }
            partitions[spans] = partition;
            offsets[2 * spans] = offset;
            offsets[2 * spans + 1] = offset;
            spans++;
        }

        /** Counts an event; one that a connector has written twice only once. */
        void count(long order) {
            boolean numbered = order > 0 && order < MOST_ORDERS;
            if (!numbered || !orders.get((int) order)) {
                events++;
            }
            if (numbered) {
                orders.set((int) order);
            }
        }

        boolean before(Map<String, Long> until) {
            for (int n = 0; n < spans; n++) {
                if (offsets[2 * n + 1] >= until.getOrDefault(partitions[n], 0L)) {
                    return false;
                }
            }
            return true;
        }

        /** Forgets what is before these offsets. */
        void trim(Map<String, Long> start) {
            int kept = 0;
            for (int n = 0; n < spans; n++) {
                if (offsets[2 * n + 1] >= start.getOrDefault(partitions[n], 0L)) {
                    partitions[kept] = partitions[n];
                    offsets[2 * kept] = offsets[2 * n];
                    offsets[2 * kept + 1] = offsets[2 * n + 1];
                    kept++;
                }
            }
            spans = kept;
        }

        Map<String, long[]> ranges() {
            Map<String, long[]> found = new TreeMap<>();
            for (int n = 0; n < spans; n++) {
                found.put(partitions[n], new long[] {offsets[2 * n], offsets[2 * n + 1]});
            }
            return found;
        }
    }
}
