package sluice.changelog;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.catalyst.types.DataTypeUtils$;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreCoordinatorRef;
import org.apache.spark.sql.execution.streaming.state.StateStoreRDD;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import scala.Function2;
import scala.Option;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import sluice.changes.SeveralPartitions;
import sluice.spark.Columns;
import sluice.spark.RowCache;

/**
 * The state of a query's steps while one batch is run: Spark's state stores, one for each step and partition.
 *
 * <p>The version of every store is the number of the batch. A batch that is run again loads the state from before it
 * and produces the same rows and the same next version. A step's rows are computed once, when the step is run, and
 * kept until the batch is released.
 */
public final class Batch {
    private final SparkSession spark;
    private final String folder;
    private final UUID run;
    private final int partitions;
    private final long number;
    private final long now;
    private final long ttl;
    private final boolean sweeps;
    private final List<RDD<?>> kept = new ArrayList<>();
    private final SeveralPartitions several;

    /**
     * @param folder where the state is, in the checkpoint of the query
     * @param run identifies this start of the query
     * @param partitions of the state; always the same for a folder
     * @param now the time of the batch in milliseconds, which is the same when it is run again
     * @param ttl milliseconds after its last change that state is kept; 0 is for ever
     * @param sweeps whether expired state is removed, which takes a scan of all of it
     */
    public Batch(SparkSession spark, String folder, String run, int partitions, long number, long now, long ttl,
            boolean sweeps) {
        this.spark = spark;
        this.folder = folder;
        this.run = UUID.fromString(run);
        this.partitions = partitions;
        this.number = number;
        this.now = now;
        this.ttl = ttl;
        this.sweeps = sweeps && ttl > 0;
        several = new SeveralPartitions(spark.sparkContext());
    }

    /** Let Spark close the stores that a run of a query has opened. */
    public static void close(SparkSession spark, String run) {
        coordinator(spark).deactivateInstances(UUID.fromString(run));
    }

    /** The old and the new sums of the keys whose result a batch changes; rows are one for each key. */
    public Dataset<Row> accumulate(int step, Dataset<Row> rows, List<String> key, List<String> sums,
            List<String> byValue) {
        Accumulate update = new Accumulate(rows.schema(), key, sums, byValue, now, ttl);
        RDD<CachedBatch> made = updated(step, byKey(rows, key), update, update.result());
        return frame(rows(made, update.result()), update.result(), key);
    }

    /** The same with aggregates of values, each a name, two columns of the rows and how; see {@link AccumulateValues}. */
    public Dataset<Row> accumulateValues(int step, Dataset<Row> rows, List<String> key, List<String> sums,
            List<String> byValue, List<String> shown, List<List<String>> values) {
        List<AccumulateValues.Aggregate> aggregates = values.stream().map(AccumulateValues.Aggregate::of).toList();
        AccumulateValues update = new AccumulateValues(rows.schema(), key, sums, byValue, shown, aggregates, now, ttl);
        RDD<CachedBatch> made = updated(step, sorted(byKey(rows, key), key), update, update.result());
        return frame(rows(made, update.result()), update.result(), key);
    }

    /** The old and the new rows of the keys that a batch changes; rows have the hidden columns of a changelog. */
    public Dataset<Row> normalize(int step, Dataset<Row> rows, List<String> key) {
        Normalize update = new Normalize(rows.schema(), key, now, ttl, several);
        Dataset<Row> sorted = sorted(byKey(rows, key), key, Rows.AT);
        RDD<CachedBatch> made = updated(step, sorted, update, update.result());
        return frame(rows(made, update.result()), update.result(), key);
    }

    /** The rows of each input of the keys that a batch changes, before and after it; see {@link Arrange}. */
    public Arranged arrange(int step, Dataset<Row> rows, List<Dataset<Row>> given, List<List<String>> keys,
            boolean ordered) {
        List<StructType> inputs = given.stream().map(each -> Rows.shown(each.schema())).toList();
        Arrange update = new Arrange(rows.schema(), inputs.size(), keys.get(0).size(), ordered, number, now, ttl);
        Dataset<Row> sorted = sorted(byKey(rows, update.key()), update.key());
        RDD<CachedBatch> made = updated(step, sorted, update, Arrange.RESULT);
        return new Arranged(this, rows(made, Arrange.RESULT), inputs, keys, ordered);
    }

    /** What is to be joined for an inner join of two inputs after a batch; see {@link Join}. */
    public JoinParts join(int step, Dataset<Row> rows, List<Dataset<Row>> given, List<List<String>> keys) {
        List<StructType> sides = given.stream().map(each -> Rows.shown(each.schema())).toList();
        Join update = new Join(rows.schema(), keys.get(0).size(), now, ttl);
        Dataset<Row> sorted = sorted(byKey(rows, update.key()), update.key());
        RDD<CachedBatch> made = updated(step, sorted, update, Join.RESULT);
        return new JoinParts(this, rows(made, Join.RESULT), sides, keys);
    }

    /** The same rows, computed when they are first used and kept from then on. */
    public Dataset<Row> keep(Dataset<Row> rows) {
        return frame(rows(cached(rows.queryExecution().toRdd(), rows.schema()), rows.schema()), rows.schema(), null);
    }

    /** The partitions of a key with changes in several, among those that were normalised; empty if there is none. */
    public List<Integer> several() {
        return several.found();
    }

    /** Drop the rows that were kept. */
    public void release() {
        kept.forEach(each -> each.unpersist(false));
        kept.clear();
    }

    /** Rows as Spark's table; it is told where they are by the hash of a key, so that it does not shuffle them again. */
    Dataset<Row> frame(RDD<InternalRow> rows, StructType schema, List<String> key) {
        Seq<Attribute> output = attributes(schema);
        Partitioning partitioning = new UnknownPartitioning(rows.getNumPartitions());
        if (key != null && key.isEmpty()) partitioning = SinglePartition$.MODULE$;
        if (key != null && !key.isEmpty()) partitioning = new HashPartitioning(named(output, key), partitions);
        return Dataset$.MODULE$.ofRows(spark, new LogicalRDD(output, rows, partitioning, Columns.seq(List.of()), false,
            Option.empty(), spark, Option.empty(), Option.empty()));
    }

    /** Compute a step in every partition, and commit its state. */
    private RDD<CachedBatch> updated(int step, Dataset<Row> rows, Update update, StructType result) {
        ClassTag<InternalRow> tag = ClassTag$.MODULE$.apply(InternalRow.class);
        RDD<InternalRow> made = new StateStoreRDD<>(rows.queryExecution().toRdd(), task(update, sweeps, now - ttl), folder, run,
            step, number, Option.empty(), Option.empty(), update.keySchema(), update.valueSchema(), update.encoding(),
            spark.sessionState(), Option.apply(coordinator(spark)), update.hasColumnFamilies(), Map$.MODULE$.empty(), false,
            tag, tag);
        RDD<CachedBatch> cached = cached(made, result);
        cached.count();
        return cached;
    }

    private static StateStoreCoordinatorRef coordinator(SparkSession spark) {
        return spark.sessionState().streamingQueryManager().stateStoreCoordinator();
    }

    private static Function2<StateStore, scala.collection.Iterator<InternalRow>, scala.collection.Iterator<InternalRow>>
            task(Update update, boolean sweeps, long oldest) {
        return (Function2<StateStore, scala.collection.Iterator<InternalRow>, scala.collection.Iterator<InternalRow>>
            & Serializable) (store, rows) -> {
                TaskContext.get().addTaskCompletionListener(context -> {
                    if (!store.hasCommitted()) store.abort();
                });
                if (sweeps) update.sweep(store, oldest);
                Iterator<InternalRow> made = update.apply(store, CollectionConverters.asJava(rows));
                return CollectionConverters.asScala(new Committing(store, made));
            };
    }

    /** Commits the store after the last row. */
    private record Committing(StateStore store, Iterator<InternalRow> rows) implements Iterator<InternalRow> {
        @Override
        public boolean hasNext() {
            if (rows.hasNext()) return true;
            if (!store.hasCommitted()) store.commit();
            return false;
        }

        @Override
        public InternalRow next() {
            return rows.next();
        }
    }

    private RDD<CachedBatch> cached(RDD<InternalRow> rows, StructType schema) {
        RDD<CachedBatch> blocks = new RowCache().convertInternalRowToCachedBatch(rows, attributes(schema),
            StorageLevel.MEMORY_AND_DISK(), spark.sessionState().conf());
        blocks.persist(StorageLevel.MEMORY_AND_DISK());
        kept.add(blocks);
        return blocks;
    }

    private RDD<InternalRow> rows(RDD<CachedBatch> blocks, StructType schema) {
        Seq<Attribute> all = attributes(schema);
        return new RowCache().convertCachedBatchToInternalRow(blocks, all, all, spark.sessionState().conf());
    }

    /** Rows in the partitions of the state: Spark's own hash of the key decides. */
    private Dataset<Row> byKey(Dataset<Row> rows, List<String> key) {
        if (key.isEmpty()) return rows.repartition(1);
        SparkPlan plan = rows.queryExecution().executedPlan();
        boolean there = plan.outputPartitioning() instanceof HashPartitioning hash
            && hash.numPartitions() == partitions
            && ids(hash.expressions()).equals(ids(named(plan.output(), key)));
        return there ? rows : rows.repartition(partitions, columns(rows, key));
    }

    private static List<Object> ids(Seq<Expression> expressions) {
        return CollectionConverters.asJava(expressions).stream()
            .map(each -> each instanceof Attribute attribute ? (Object) attribute.exprId() : each).toList();
    }

    private static Dataset<Row> sorted(Dataset<Row> rows, List<String> key, String... more) {
        List<String> by = new ArrayList<>(key);
        by.addAll(List.of(more));
        return by.isEmpty() ? rows : rows.sortWithinPartitions(columns(rows, by));
    }

    private static Column[] columns(Dataset<Row> rows, List<String> names) {
        return names.stream().map(name -> rows.col("`" + name.replace("`", "``") + "`")).toArray(Column[]::new);
    }

    private static Seq<Expression> named(Seq<Attribute> output, List<String> names) {
        List<Expression> found = new ArrayList<>();
        for (String name : names) {
            CollectionConverters.asJava(output).stream().filter(each -> each.name().equals(name)).findFirst()
                .ifPresent(found::add);
        }
        return Columns.seq(found);
    }

    @SuppressWarnings("unchecked")
    static Seq<Attribute> attributes(StructType schema) {
        return (Seq<Attribute>) (Seq<?>) DataTypeUtils$.MODULE$.toAttributes(schema);
    }
}
