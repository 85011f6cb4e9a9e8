package sluice;

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

/** A stream that lets its gate say how far each batch goes, and is the stream inside otherwise. */
final class GatedStream implements MicroBatchStream, SupportsAdmissionControl {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<TreeMap<String, TreeMap<String, Long>>> OFFSETS =
            new TypeReference<>() {};

    private final MicroBatchStream inner;
    private final Gate gate;

    GatedStream(MicroBatchStream inner, Gate gate) {
        this.inner = inner;
        this.gate = gate;
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
        SupportsAdmissionControl source = (SupportsAdmissionControl) inner;
        Map<String, Long> from = read(start);
        Map<String, Long> to = read(source.latestOffset(start, ReadLimit.allAvailable()));
        Map<String, Long> until = gate.plan(from, to, System.nanoTime() / 1_000_000);
        return until == from ? null : inner.deserializeOffset(written(until));
    }

    /** Offsets by topic and partition, each pair as one text; a topic has no blank in its name. */
    private static Map<String, Long> read(Offset offset) {
        Map<String, Long> flat = new TreeMap<>();
        try {
            JSON.readValue(offset.json(), OFFSETS)
                    .forEach((topic, parts) -> parts.forEach((at, n) -> flat.put(topic + " " + at, n)));
        } catch (JsonProcessingException bad) {
            throw new IllegalStateException(bad);
        }
        return flat;
    }

    private static String written(Map<String, Long> flat) {
        Map<String, Map<String, Long>> nested = new TreeMap<>();
        flat.forEach(
                (key, offset) -> {
                    String[] parts = key.split(" ");
                    nested.computeIfAbsent(parts[0], topic -> new TreeMap<>()).put(parts[1], offset);
                });
        try {
            return JSON.writeValueAsString(nested);
        } catch (JsonProcessingException bad) {
            throw new IllegalStateException(bad);
        }
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
        return ReadLimit.allAvailable();
    }

    @Override
    public Offset reportLatestOffset() {
        return ((SupportsAdmissionControl) inner).reportLatestOffset();
    }

    @Override
    public Offset latestOffset() {
        throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is asked");
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        return inner.planInputPartitions(start, end);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return inner.createReaderFactory();
    }

    @Override
    public Offset initialOffset() {
        return inner.initialOffset();
    }

    @Override
    public Offset deserializeOffset(String json) {
        return inner.deserializeOffset(json);
    }

    @Override
    public void commit(Offset end) {
        inner.commit(end);
    }

    @Override
    public void stop() {
        inner.stop();
    }
}
