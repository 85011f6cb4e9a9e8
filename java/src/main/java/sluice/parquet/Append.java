package sluice.parquet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.delta.ConcurrentTransactionException;
import org.apache.spark.sql.delta.DeltaColumnMapping;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.DeltaOperations;
import org.apache.spark.sql.delta.MetadataChangedException;
import org.apache.spark.sql.delta.OptimisticTransaction;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.Action$;
import org.apache.spark.sql.delta.actions.Metadata;
import org.apache.spark.sql.delta.constraints.Constraints$;
import org.apache.spark.sql.delta.stats.DeltaStatsColumnSpec;
import org.apache.spark.sql.delta.stats.StatisticsCollection$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetCompressionCodec;
import org.apache.spark.sql.execution.datasources.parquet.SparkToParquetSchemaConverter;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics$;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import sluice.delta.CommitFence;
import sluice.delta.KeyColumns;
import sluice.faults.Failpoints;
import sluice.jobs.Jobs;

/**
 * Adds rows to a Delta table, in files that Sluice writes itself where the table allows it.
 *
 * <p>The log stays Delta's: it makes the commit, and what others did meanwhile counts as ever. A
 * batch of a writer is fenced: it fails if the table has it, or a later one, by then.
 */
public final class Append {
    /** What a table may ask of its writers that is heeded here. */
    private static final Set<String> HEEDED = Set.of(
            "appendOnly", "invariants", "columnMapping", "timestampNtz", "deletionVectors", "changeDataFeed");

    /** Which writer makes the files of tables that fit: {@code sluice} or {@code delta}. */
    private static final String WRITER = "spark.sluice.parquet.writer";

    /** How often rows are written again because others have added columns meanwhile. */
    private static final int RETRIES = 10;

    final SparkSession session;
    final DeltaLog log;
    final OptimisticTransaction change;
    private final Dataset<Row> rows;

    Append(Dataset<Row> rows, String path) {
        this(rows, DeltaLog.forTable(rows.sparkSession(), path));
    }

    private Append(Dataset<Row> rows, DeltaLog log) {
        this(rows, log, log.startTransaction(Option.empty(), Option.empty()));
    }

    Append(Dataset<Row> rows, DeltaLog log, OptimisticTransaction change) {
        this.rows = rows;
        this.log = log;
        this.change = change;
        session = rows.sparkSession();
    }

    /**
     * Add rows, in a commit that says something of itself; they make the table, with these
     * partitions and properties, if it is not there. {@code writer} is NULL for rows of no batch;
     * {@code own} allows files that Sluice writes itself. With {@code grows} the commit also adds the columns
     * that the table lacks. The version of the commit, or -1, and nothing is done, if the rows are not
     * just as the table has its columns.
     */
    public static long append(Dataset<Row> rows, String path, String metadata, String writer, long batch,
            boolean own, boolean grows, List<String> partitions, Map<String, String> properties)
            throws JsonProcessingException {
        for (int left = RETRIES;; left--) {
            try {
                return once(rows, path, metadata, writer, batch, own, grows, partitions, properties);
            } catch (MetadataChangedException changed) { // by a commit that has added a column
                if (left == 0) {
                    throw changed;
                }
            }
        }
    }

    private static long once(Dataset<Row> rows, String path, String metadata, String writer, long batch,
            boolean own, boolean grows, List<String> partitions, Map<String, String> properties)
            throws JsonProcessingException {
        Append append = new Append(rows, path);
        Action bound = writer == null ? null : CommitFence.bind(append.change, writer, batch);
        if (append.change.readVersion() < 0) {
            append.make(partitions, properties);
        } else if (grows) {
            append.grow();
        }
        if (!append.matches()) {
            return -1;
        }
        List<Action> actions = append.files(own);
        if (bound != null) {
            actions.add(bound);
        }
        Failpoints.hit("delta.before_commit");
        try {
            return append.commit(actions, metadata);
        } catch (ConcurrentTransactionException late) {
            throw CommitFence.lost(writer, batch, late);
        }
    }

    private void make(List<String> partitions, Map<String, String> properties) throws JsonProcessingException {
        Map<String, Object> table = Map.of(
                "id", UUID.randomUUID().toString(),
                "format", Map.of("provider", "parquet", "options", Map.of()),
                "schemaString", rows.schema().asNullable().json(),
                "partitionColumns", partitions,
                "configuration", properties,
                "createdTime", System.currentTimeMillis());
        change.updateMetadata((Metadata) action("metaData", table), false);
    }

    /** Add the columns of the rows that the table does not have, in the commit that is made later. */
    void grow() {
        Metadata table = change.metadata();
        StructType schema = table.schema();
        StructType grown = schema;
        Map<String, String> configuration = new HashMap<>(CollectionConverters.asJava(table.configuration()));
        for (StructField field : rows.schema().fields()) {
            if (schema.getFieldIndex(field.name()).isEmpty()) {
                grown = grown.add(field.name(), field.dataType(), true);
                if (field.dataType() instanceof TimestampNTZType) {
                    configuration.put("delta.feature.timestampNtz", "supported");
                }
            }
        }
        if (grown.length() == schema.length()) {
            return;
        }
        change.updateMetadata(table.copy(table.id(), table.name(), table.description(), table.format(),
                grown.json(), table.partitionColumns(),
                scala.collection.immutable.Map.from(CollectionConverters.asScala(configuration)),
                table.createdTime()), false);
    }

    /** Whether each column of the rows is one of the table's, of its type. */
    boolean matches() {
        StructType schema = change.metadata().schema();
        return Arrays.stream(rows.schema().fields()).allMatch(field -> same(field, schema));
    }

    /** Whether our writer is wanted, and the table asks nothing of its writers that it does not do. */
    boolean fits() {
        Metadata table = change.metadata();
        DeltaStatsColumnSpec bounded = bounded(table);
        return session.sessionState().conf().getConfString(WRITER, "sluice").equals("sluice")
                && CollectionConverters.asJava(table.partitionColumns()).isEmpty()
                && HEEDED.containsAll(CollectionConverters.asJava(change.protocol().readerAndWriterFeatureNames()))
                && CollectionConverters.asJava(Constraints$.MODULE$.getAll(table, session)).isEmpty()
                && (bounded.deltaStatsColumnNamesOpt().isDefined() || bounded.numIndexedColsOpt().contains(0))
                && SchemaWriter.supports(table.schema());
    }

    private static boolean same(StructField field, StructType table) {
        return table.getFieldIndex(field.name()).isDefined()
                && DataType.equalsIgnoreNullability(field.dataType(), table.apply(field.name()).dataType());
    }

    /** The rows with all columns of the table, in its order; NULL in those that they do not have. */
    private Dataset<Row> complete(StructType table) {
        if (Arrays.equals(rows.schema().fieldNames(), table.fieldNames())) {
            return rows;
        }
        return (Dataset<Row>) rows.select(columns().toArray(Column[]::new));
    }

    /** All columns of the table, in its order, of rows that may not have some of them. */
    List<Column> columns() {
        Set<String> there = Set.of(rows.schema().fieldNames());
        List<Column> found = new ArrayList<>();
        for (StructField field : change.metadata().schema().fields()) {
            found.add(there.contains(field.name())
                    ? KeyColumns.column(field.name())
                    : functions.lit(null).cast(field.dataType()).as(field.name()));
        }
        return found;
    }

    /** What writes the rows of a task to a file. */
    WriteTask task() {
        Metadata table = change.metadata();
        StructType schema = DeltaColumnMapping.createPhysicalSchema(
                table.schema().asNullable(), table.schema(), table.columnMappingMode(), true);
        SQLConf conf = session.sessionState().conf();
        String type = new SparkToParquetSchemaConverter(
                false, SQLConf.ParquetOutputTimestampType$.MODULE$.TIMESTAMP_MICROS(), true, false)
                .convert(schema).toString();
        CompressionCodecName codec =
                ParquetCompressionCodec.fromString(conf.parquetCompressionCodec()).getCompressionCodec();
        return new WriteTask(log.dataPath().toString(), type, schema, codec, bounded(table, schema),
                new SerializableConfiguration(log.newDeltaHadoopConf()));
    }

    private static DeltaStatsColumnSpec bounded(Metadata table) {
        return StatisticsCollection$.MODULE$.configuredDeltaStatsColumnSpec(table);
    }

    /** The columns, as the files call them, whose lowest and highest values the log is to have. */
    private static Set<String> bounded(Metadata table, StructType schema) {
        Set<String> names = new TreeSet<>();
        if (bounded(table).deltaStatsColumnNamesOpt().isDefined()) {
            for (UnresolvedAttribute each : CollectionConverters.asJava(bounded(table).deltaStatsColumnNamesOpt().get())) {
                int at = table.schema().fieldIndex(CollectionConverters.asJava(each.nameParts()).get(0));
                names.add(schema.fields()[at].name());
            }
        }
        return names;
    }

    /** The actions that add the rows; {@code own} allows files that Sluice writes itself. */
    List<Action> files(boolean own) throws JsonProcessingException {
        return own && fits() ? ownFiles() : deltaFiles();
    }

    private List<Action> ownFiles() throws JsonProcessingException {
        StructType schema = change.metadata().schema();
        return added(Jobs.collect(complete(schema).queryExecution().toRdd(), task()));
    }

    /** The actions that add files; what they hold is counted in the commit. */
    List<Action> added(List<WriteTask.Written> files) throws JsonProcessingException {
        List<Action> actions = new ArrayList<>();
        long count = 0;
        long bytes = 0;
        for (WriteTask.Written file : files) {
            actions.add(action("add", file.added()));
            count += file.rows();
            bytes += file.bytes();
        }
        Map<String, SQLMetric> metrics = new HashMap<>();
        metrics.put("numFiles", metric(actions.size()));
        metrics.put("numOutputRows", metric(count));
        metrics.put("numOutputBytes", metric(bytes));
        change.registerSQLMetrics(
                session, scala.collection.immutable.Map.from(CollectionConverters.asScala(metrics)));
        return actions;
    }

    /** Files of Delta's writer, which also registers what it has counted. */
    private List<Action> deltaFiles() {
        return new ArrayList<>(CollectionConverters.asJava(change.writeFiles(rows, Option.empty())));
    }

    long commit(List<Action> actions, String metadata) {
        Option<String> none = Option.empty();
        var parts = Option.apply(change.metadata().partitionColumns())
                .filter(each -> !CollectionConverters.asJava(each).isEmpty());
        return change.commit(
                scala.collection.immutable.List.from(CollectionConverters.asScala(actions)),
                new DeltaOperations.Write(SaveMode.Append, parts, none, Option.apply(metadata),
                        Option.empty(), Option.empty(), Option.empty(), none, none));
    }

    private SQLMetric metric(long value) {
        SQLMetric metric = SQLMetrics$.MODULE$.createMetric(session.sparkContext(), "");
        metric.set(value);
        return metric;
    }

    /** An action of Delta's log, from what the log would say. */
    private static Action action(String name, Map<String, Object> fields) throws JsonProcessingException {
        return Action$.MODULE$.fromJson(new ObjectMapper().writeValueAsString(Map.of(name, fields)));
    }
}
