package sluice.kafka;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Spark's own Kafka source, with the timestamps of records clamped.
 *
 * <p>The option `admission` names the {@link BatchAdmission} that admits a stream's batches; without one it is a bounded
 * read, or a stream in Real-Time Mode.
 */
public final class KafkaSource implements TableProvider {
    private static final String KAFKA = "org.apache.spark.sql.kafka010.KafkaSourceProvider";

    private final TableProvider kafka;

    public KafkaSource() throws ReflectiveOperationException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        kafka = (TableProvider) Class.forName(KAFKA, true, loader).getConstructor().newInstance();
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return kafka.inferSchema(options);
    }

    @Override
    public Table getTable(StructType schema, Transform[] parts, Map<String, String> properties) {
        return new Messages((SupportsRead) kafka.getTable(schema, parts, properties));
    }

    private record Messages(SupportsRead table) implements SupportsRead {
        @Override
        public String name() {
            return table.name();
        }

        @Override
        @SuppressWarnings("deprecation")
        public StructType schema() {
            return table.schema();
        }

        @Override
        public Set<TableCapability> capabilities() {
            return EnumSet.of(TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            Scan scan = table.newScanBuilder(options).build();
            return () -> new Admitted(scan, options.get("admission"), options.get("startingOffsets"));
        }
    }

    private record Admitted(Scan scan, String admission, String firsts) implements Scan {
        @Override
        public StructType readSchema() {
            return scan.readSchema();
        }

        @Override
        public String description() {
            return scan.description();
        }

        @Override
        public MicroBatchStream toMicroBatchStream(String checkpoint) {
            MicroBatchStream stream = scan.toMicroBatchStream(checkpoint);
            return admission == null ? new RealtimeStream(stream)
                : new AdmittedStream(stream, BatchAdmission.of(admission), firsts);
        }

        @Override
        public Batch toBatch() {
            return new Bounded(scan.toBatch());
        }
    }

    private record Bounded(Batch batch) implements Batch {
        @Override
        public InputPartition[] planInputPartitions() {
            return Timestamps.clamped(batch.planInputPartitions());
        }

        @Override
        public PartitionReaderFactory createReaderFactory() {
            return new RangeReader.Factory(batch.createReaderFactory());
        }
    }
}
