package sluice.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;

/**
 * A stream that lets its admission say how far each batch goes, and is the stream inside otherwise.
 *
 * The offsets of a batch that ends after a source transaction name it, so that Spark's log has it:
 * under {@link #TRANSACTION}, which no topic can be called, its id with the offset of its END.
 *
 * Partitions that came after its first batch begin where the starting offsets have them by now; the
 * stream inside would ask the broker for their first offsets again, and takes none but 0.
 */
final class AdmittedStream extends KafkaStream {
    static final String TRANSACTION = "#transaction";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<TreeMap<String, TreeMap<String, Long>>> OFFSETS =
            new TypeReference<>() {};

    private final BatchAdmission admission;
    private final Map<String, Long> firsts;

    AdmittedStream(MicroBatchStream inner, BatchAdmission admission, String firsts) {
        super(inner);
        this.admission = admission;
        this.firsts = read(firsts);
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
        SupportsAdmissionControl source = (SupportsAdmissionControl) inner;
        Map<String, Long> to = read(source.latestOffset(plain(start), ReadLimit.allAvailable()).json());
        Map<String, Long> from = complete(read(start.json()), to);
        Map<String, Long> until = admission.plan(from, to, System.nanoTime() / 1_000_000);
        if (until == from) {
            return null;
        }
        TransactionCut.Last last = admission.lastTransaction();
        return last == null ? inner.deserializeOffset(written(until)) : new Named(written(until, last));
    }

    /** Offsets with the last source transaction before them. */
    private static final class Named extends Offset {
        private final String json;

        Named(String json) {
            this.json = json;
        }

        @Override
        public String json() {
            return json;
        }
    }

    /** An offset of the stream inside. */
    private Offset plain(Offset offset) {
        return offset instanceof Named ? deserializeOffset(offset.json()) : offset;
    }

    @Override
    public Offset deserializeOffset(String json) {
        return inner.deserializeOffset(json.contains(TRANSACTION) ? written(read(json)) : json);
    }

    @Override
    public void commit(Offset end) {
        super.commit(plain(end));
    }

    /** Offsets by topic and partition, each pair as one text; a topic has no blank in its name. */
    private static Map<String, Long> read(String offsets) {
        Map<String, Long> flat = new TreeMap<>();
        try {
            TreeMap<String, TreeMap<String, Long>> nested = JSON.readValue(offsets, OFFSETS);
            nested.remove(TRANSACTION);
            nested.forEach((topic, parts) -> parts.forEach((at, n) -> flat.put(topic + " " + at, n)));
        } catch (JsonProcessingException bad) {
            throw new IllegalStateException(bad);
        }
        return flat;
    }

    private static String written(Map<String, Long> flat) {
        return written(flat, null);
    }

    private static String written(Map<String, Long> flat, TransactionCut.Last last) {
        Map<String, Map<String, Long>> nested = new TreeMap<>();
        flat.forEach(
                (key, offset) -> {
                    String[] parts = key.split(" ");
                    nested.computeIfAbsent(parts[0], topic -> new TreeMap<>()).put(parts[1], offset);
                });
        if (last != null) {
            nested.put(TRANSACTION, Map.of(last.id(), last.place()));
        }
        try {
            return JSON.writeValueAsString(nested);
        } catch (JsonProcessingException bad) {
            throw new IllegalStateException(bad);
        }
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new RangeReader.Factory(super.createReaderFactory());
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
        return ReadLimit.allAvailable();
    }

    @Override
    public Offset latestOffset() {
        throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is asked");
    }

    /** Where a batch begins that goes so far, with the partitions that are new in it. */
    private Map<String, Long> complete(Map<String, Long> start, Map<String, Long> end) {
        Map<String, Long> whole = new TreeMap<>(start);
        for (String key : end.keySet()) {
            if (firsts.containsKey(key)) {
                whole.putIfAbsent(key, firsts.get(key));
            }
        }
        return whole;
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        Map<String, Long> from = read(start.json());
        Map<String, Long> whole = complete(from, read(end.json()));
        boolean same = whole.size() == from.size();
        Offset begin = same ? plain(start) : inner.deserializeOffset(written(whole));
        return super.planInputPartitions(begin, plain(end));
    }
}
