package sluice.kafka;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import sluice.avro.AvroFields;
import sluice.values.Settings;

/**
 * When a stream's next batch begins and what is in it.
 *
 * A batch begins when it is full, when its time has come, or when somebody wants it now. Those
 * outside say how many more may begin; the stream itself asks before each.
 */
public final class BatchAdmission {
    private static final Set<String> FIELDS = Set.of("transaction", "status", "id", "data_collections");
    private static final Map<String, BatchAdmission> ALL = new ConcurrentHashMap<>();

    /** The part of the wait between two batches that is let off: looks do not come to the millisecond. */
    private static final int SLACK = 10;

    private final long block;
    private final long waitMs;
    private final boolean fromFirst;
    private long cycles;
    private boolean now;
    private boolean running;
    private Map<String, Long> bounds;
    private boolean drained;
    private long seenAt = -1;
    private long lastAt = -1;
    private TransactionCut transactions;
    private TransactionReader reader;
    private TransactionCut.Last lastTransaction;

    private BatchAdmission(long block, long waitMs, boolean fromFirst, long cycles) {
        this.block = block;
        this.waitMs = waitMs;
        this.fromFirst = fromFirst;
        this.cycles = cycles;
        this.now = cycles >= 0;
    }

    /**
     * Makes the admission of a stream, in place of one it had.
     *
     * @param block so many messages are a full batch, and no batch has more
     * @param waitMs how long messages wait for a batch to fill
     * @param fromFirst whether that time begins with the first message, not with the batch before
     * @param cycles how many batches may begin, at once and empty ones too; negative for all
     */
    public static BatchAdmission open(String name, long block, long waitMs, boolean fromFirst, long cycles) {
        BatchAdmission made = new BatchAdmission(block, waitMs, fromFirst, cycles);
        ALL.put(name, made);
        return made;
    }

    /** The admission that was made for a stream. */
    static BatchAdmission of(String name) {
        BatchAdmission found = ALL.get(name);
        if (found == null) {
            throw new IllegalStateException("no batch admission for " + name);
        }
        return found;
    }

    /** Forgets the stream. */
    public static void close(String name) {
        BatchAdmission closed = ALL.remove(name);
        if (closed != null && closed.reader != null) {
            closed.reader.close();
        }
    }

    /**
     * Lets no batch end within a source transaction; see {@link TransactionCut}.
     *
     * @param properties of a Kafka client that reads as the stream does
     * @param topic Debezium's transaction topic
     * @param registry the settings of the format if messages are Avro with schemas in a registry; else null
     * @param fresh whether the stream begins at any offset, not at the end of a batch
     */
    public synchronized void wholeTransactions(
            Map<String, String> properties, String topic, String registry, long timeoutMs, boolean fresh) {
        UnaryOperator<byte[]> json =
                registry == null ? UnaryOperator.identity() : new AvroFields(new Settings(registry), FIELDS);
        transactions = new TransactionCut(timeoutMs, fresh);
        reader = new TransactionReader(properties, topic, json, transactions);
    }

    /** Lets no batch end within a transaction that a cut knows of, whoever tells it. */
    synchronized void wholeTransactions(TransactionCut cut) {
        transactions = cut;
    }

    /** What was released of transactions that did not become complete, each as JSON. */
    public synchronized List<String> releasedTransactions() {
        return transactions == null
                ? List.of()
                : transactions.takeReleased().stream().map(TransactionCut.Released::json).toList();
    }

    /** The last source transaction of the batch that was planned; null if it has none. */
    synchronized TransactionCut.Last lastTransaction() {
        return lastTransaction;
    }

    /** Lets the batch that runs be the last; if none does, one with what is there now is. */
    public synchronized void finish() {
        cycles = running ? 0 : 1;
        now = true;
    }

    /** Lets what is there now not wait any longer. */
    public synchronized void hurry() {
        now = true;
    }

    /** Whether no batch runs and none may begin. */
    public synchronized boolean idle() {
        return cycles == 0 && !running;
    }

    /** Lets nothing be read from these offsets on, nor anything of other partitions. */
    public synchronized void bound(Map<String, ? extends Number> until) {
        bounds = new TreeMap<>();
        until.forEach((key, offset) -> bounds.put(key, offset.longValue()));
    }

    /** Whether everything before the bounds was read, and no batch runs. */
    public synchronized boolean drained() {
        return drained && !running;
    }

    /**
     * How far the next batch goes: the start itself if none begins yet.
     *
     * @param start where the last batch ended, by partition
     * @param end what there is; a partition that is not in the start begins at 0
     */
    synchronized Map<String, Long> plan(Map<String, Long> start, Map<String, Long> end, long clock) {
        running = false;
        if (bounds != null) {
            end = bounded(start, end);
        }
        long there = 0;
        for (Map.Entry<String, Long> each : end.entrySet()) {
            long size = each.getValue() - start.getOrDefault(each.getKey(), 0L);
            if (size < 0) {
                return begun(end, clock); // it lost messages: let the source itself say so
            }
            there += size;
        }
        if (transactions != null && there > 0) {
            Map<String, Long> whole = whole(start, end, clock);
            there = size(start, whole);
            if (there == 0 && !transactions.reached(end)) {
                return start; // it is not known yet what there is
            }
            end = whole;
        }
        if (there == 0) {
            drained = bounds != null
                    && bounds.entrySet().stream()
                            .allMatch(b -> start.getOrDefault(b.getKey(), 0L) >= b.getValue());
            seenAt = -1;
            passed();
            return start;
        }
        seenAt = seenAt < 0 ? clock : seenAt;
        long since = fromFirst ? seenAt : lastAt;
        long wait = fromFirst ? waitMs : waitMs - waitMs / SLACK;
        boolean due = now || there >= block || since < 0 || clock - since >= wait;
        if (!due || cycles == 0) {
            return start;
        }
        passed();
        return begun(there <= block ? end : full(start, end, there), clock);
    }

    /** What there is of whole transactions. */
    private Map<String, Long> whole(Map<String, Long> start, Map<String, Long> end, long clock) {
        if (reader != null) {
            reader.follow(start, end);
        }
        transactions.admitted(start);
        transactions.release(clock);
        return transactions.until(start, end, bounds);
    }

    /** A full batch; with a transaction that is larger than that as many times larger as need be. */
    private Map<String, Long> full(Map<String, Long> start, Map<String, Long> end, long there) {
        if (transactions == null) {
            return cut(start, end, there, block);
        }
        for (long most = block; most < there; most *= 2) {
            Map<String, Long> whole = transactions.until(start, cut(start, end, there, most), bounds);
            if (size(start, whole) > 0) {
                return whole;
            }
        }
        return end;
    }

    private static long size(Map<String, Long> start, Map<String, Long> end) {
        long found = 0;
        for (Map.Entry<String, Long> each : end.entrySet()) {
            found += each.getValue() - start.getOrDefault(each.getKey(), 0L);
        }
        return found;
    }

    /** What there is before the bounds; a bound is waited for, and what was read stays read. */
    private Map<String, Long> bounded(Map<String, Long> start, Map<String, Long> end) {
        Map<String, Long> found = new TreeMap<>();
        end.forEach((key, there) -> {
            long from = start.getOrDefault(key, 0L);
            found.put(key, Math.max(from, Math.min(there, bounds.getOrDefault(key, from))));
        });
        return found;
    }

    private Map<String, Long> begun(Map<String, Long> until, long clock) {
        running = true;
        lastAt = clock;
        seenAt = -1;
        lastTransaction = transactions == null ? null : transactions.planned(until);
        return until;
    }

    private void passed() {
        if (cycles > 0 && now) {
            cycles--;
        }
        now = cycles > 0;
    }

    /** Exactly so many, each partition's share by what it has; no partition waits for others. */
    private static Map<String, Long> cut(Map<String, Long> start, Map<String, Long> end, long there, long most) {
        Map<String, Long> until = new TreeMap<>();
        List<String> byRest = new ArrayList<>();
        Map<String, Double> rests = new TreeMap<>();
        long left = most;
        for (Map.Entry<String, Long> each : end.entrySet()) {
            long from = start.getOrDefault(each.getKey(), 0L);
            double share = (double) (each.getValue() - from) * most / there;
            long whole = Math.min((long) share, each.getValue() - from);
            until.put(each.getKey(), from + whole);
            rests.put(each.getKey(), share - whole);
            byRest.add(each.getKey());
            left -= whole;
        }
        byRest.sort(Comparator.comparing(key -> -rests.get(key)));
        while (left > 0) {
            for (String key : byRest) {
                if (left > 0 && until.get(key) < end.get(key)) {
                    until.merge(key, 1L, Long::sum);
                    left--;
                }
            }
        }
        return until;
    }
}
