package sluice.parquet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.delta.ConcurrentTransactionException;
import org.apache.spark.sql.delta.DeltaOperations;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.actions.Metadata;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import sluice.changes.SeveralPartitions;
import sluice.delta.CommitFence;
import sluice.delta.DeletionVectors;
import sluice.delta.KeyBlock;
import sluice.delta.KeyColumns;
import sluice.delta.KeyIndex;
import sluice.faults.Failpoints;
import sluice.jobs.Jobs;

/**
 * Applies the changes of a batch to a Delta table by its key, in one commit.
 *
 * <p>Of the changes of a key the last counts. The row that the table has of the key is marked by a
 * deletion vector, and the row that is put is written to a new file; so the cost is that of the batch,
 * and not that of the table. A batch that changes nothing commits nothing.
 *
 * <p>Changes are rows with the table's columns, columns that order those of one key, and {@code PUT},
 * the last of these, which tells whether a row is put or deleted. Where they have the places of changes
 * in their topics, or the {@code PARTITION} that {@code last} makes of them, keys whose changes come from several
 * partitions are noted, within the batch and by what the index knows of the batches before. A row with
 * {@code PARTIAL} leaves out values that the table has.
 */
public final class Upsert {
    private static final String PUT = "__put";
    private static final String AT = "__at";
    private static final String PARTITION = "__partition";
    private static final String PARTIAL = "__partial";
    static final String VECTORS = "delta.enableDeletionVectors";

    private final Append append;
    private final KeyColumns key;
    private final KeyIndex index;
    private final Action bound;
    private final String writer;
    private final long batch;
    private final SeveralPartitions several;
    private long version = -1;

    private Upsert(Append append, List<String> keys, Action bound, String writer, long batch) {
        this.append = append;
        this.bound = bound;
        this.writer = writer;
        this.batch = batch;
        key = KeyColumns.of(keys, append.change.metadata().schema());
        index = KeyIndex.of(append.log, append.change.snapshot(), key);
        several = new SeveralPartitions(append.session.sparkContext());
    }

    /**
     * Begin the batch of a writer, which is NULL for rows of no batch; {@code shape} has the columns
     * of the rows, which with {@code grows} are added to the table's where it lacks them. NULL if that is
     * not possible: the table has other columns, forbids deletion vectors, or has files of which they
     * cannot be made.
     */
    public static Upsert begin(Dataset<Row> shape, String path, List<String> keys, String writer, long batch,
            boolean grows, Map<String, String> properties) {
        Append append = new Append(shape, path);
        if (set(append, properties)) {
            append = new Append(shape, path);
        }
        Map<String, String> configured = CollectionConverters.asJava(append.change.metadata().configuration());
        boolean forbidden = "false".equalsIgnoreCase(configured.get(VECTORS));
        if (grows && !forbidden) {
            append.grow();
        }
        if (!append.matches() || forbidden) {
            return null;
        }
        Action bound = writer == null ? null : CommitFence.bind(append.change, writer, batch);
        append.change.readWholeTable();
        Upsert upsert = new Upsert(append, keys, bound, writer, batch);
        return upsert.index.counted() ? upsert : null;
    }

    /** Set properties that the table says nothing of, in a commit of its own; whether there are any. */
    static boolean set(Append append, Map<String, String> properties) {
        Metadata table = append.change.metadata();
        Map<String, String> configured = new HashMap<>(CollectionConverters.asJava(table.configuration()));
        boolean complete = true;
        for (String name : List.of(VECTORS, "delta.enableChangeDataFeed")) {
            complete &= !properties.containsKey(name) || configured.putIfAbsent(name, properties.get(name)) != null;
        }
        if (complete) {
            return false;
        }
        var wanted = scala.collection.immutable.Map.from(CollectionConverters.asScala(configured));
        append.change.updateMetadata(table.copy(table.id(), table.name(), table.description(), table.format(),
                table.schemaString(), table.partitionColumns(), wanted, table.createdTime()), false);
        append.change.commit(scala.collection.immutable.Seq$.MODULE$.empty(),
                new DeltaOperations.SetTableProperties(wanted));
        return true;
    }

    /** The version of the commit; -1 before it, or if there was nothing to commit. */
    public long version() {
        return version;
    }

    /** The partitions of a key with changes in several, once this is written; empty if there is none. */
    public List<Integer> several() {
        return several.found();
    }

    /**
     * The last change of each key, with the columns that the changes have besides those that order
     * them, and the {@code PARTITION}. {@code tasks} is how many tasks write the rows.
     */
    public Dataset<Row> last(Dataset<Row> given, List<String> ordered, int tasks) {
        Dataset<Row> changes = partitioned(given);
        List<String> more = new ArrayList<>(Arrays.asList(changes.schema().fieldNames()));
        more.removeAll(ordered);
        more.removeAll(Arrays.asList(append.change.metadata().schema().fieldNames()));
        return last(sorted(changes, ordered, tasks, more));
    }

    private Dataset<Row> last(Dataset<Row> sorted) {
        int at = sorted.schema().fieldIndex(KeyColumns.FIRST);
        int partition = partition(sorted);
        boolean wide = key.wide();
        SeveralPartitions noted = several;
        var rdd = sorted.queryExecution().toRdd().toJavaRDD()
                .mapPartitions(rows -> new LastChanges(rows, at, wide, partition, noted)).rdd();
        return (Dataset<Row>) append.session.internalCreateDataFrame(rdd, sorted.schema(), false);
    }

    /** Changes with the partitions that they come from, if they have places. */
    private static Dataset<Row> partitioned(Dataset<Row> changes) {
        boolean placed = Arrays.asList(changes.schema().fieldNames()).contains(AT);
        return placed ? (Dataset<Row>) changes.withColumn(PARTITION, functions.col(AT + ".partition")) : changes;
    }

    /** Where rows have their partition; -1 for nowhere. */
    private static int partition(Dataset<Row> rows) {
        return place(rows, PARTITION);
    }

    private static int place(Dataset<Row> rows, String name) {
        return Arrays.asList(rows.schema().fieldNames()).indexOf(name);
    }

    /** The rows that the table has of the keys of changes. */
    public Dataset<Row> stored(Dataset<Row> last) {
        List<AddFile> files = new ArrayList<>();
        index.find(keys(last), append.change.snapshot(), append.session, null)
                .keySet().forEach(number -> files.add(index.file(number)));
        Dataset<Row> rows = (Dataset<Row>) append.log.createDataFrame(append.change.snapshot(),
                scala.collection.immutable.List.from(CollectionConverters.asScala(files)), false, Option.empty());
        Dataset<Row> wanted = (Dataset<Row>) last.select(key.columns());
        return (Dataset<Row>) rows.join(functions.broadcast(wanted), key.names().toArray(String[]::new), "left_semi");
    }

    /**
     * Commit changes, with the rows of Delta's change data feed, if these are not NULL. {@code tasks}
     * is how many tasks write the rows, 0 if the changes are not to be moved: there is one for each
     * key. {@code own} allows files that Sluice writes itself. False, and nothing is committed, if the last change
     * of a key is {@code PARTIAL}.
     */
    public boolean write(Dataset<Row> given, List<String> ordered, int tasks, Dataset<Row> feed, boolean own,
            String metadata) throws Exception {
        Dataset<Row> changes = partitioned(given);
        List<Action> changed = feed == null ? List.of() : files(feed);
        List<String> more = new ArrayList<>(List.of(PARTITION, PARTIAL));
        more.retainAll(Arrays.asList(changes.schema().fieldNames()));
        Dataset<Row> sorted = sorted(changes, ordered, tasks, more);
        return own && append.fits() ? ownFiles(sorted, changed, metadata) : deltaFiles(sorted, changed, metadata);
    }

    /** The changes with the table's columns, the longs of their key, {@code PUT} and more, sorted by key. */
    private Dataset<Row> sorted(Dataset<Row> changes, List<String> ordered, int tasks, List<String> more) {
        List<Column> columns = append.columns();
        int width = columns.size();
        columns.addAll(Arrays.asList(key.longs()));
        Set<String> hidden = new LinkedHashSet<>(ordered);
        hidden.addAll(more);
        hidden.removeAll(Arrays.asList(append.change.metadata().schema().fieldNames()));
        hidden.forEach(name -> columns.add(KeyColumns.column(name)));
        Dataset<Row> rows = (Dataset<Row>) changes.select(columns.toArray(Column[]::new));
        if (tasks > 0) {
            List<Column> order = new ArrayList<>(Arrays.asList(key.columns()));
            ordered.forEach(name -> order.add(KeyColumns.column(name)));
            rows = (Dataset<Row>) newest(rows, ordered).repartition(tasks, functions.col(KeyColumns.FIRST))
                    .sortWithinPartitions(order.toArray(Column[]::new));
        }
        StructType table = append.change.metadata().schema();
        List<Column> kept = new ArrayList<>();
        for (int n = 0; n < width; n++) {
            kept.add(KeyColumns.column(table.fields()[n].name()));
        }
        kept.add(functions.col(KeyColumns.FIRST));
        if (key.wide()) {
            kept.add(functions.col(KeyColumns.SECOND));
        }
        kept.add(functions.col(PUT));
        more.forEach(name -> kept.add(KeyColumns.column(name)));
        return (Dataset<Row>) rows.select(kept.toArray(Column[]::new));
    }

    private Dataset<Row> newest(Dataset<Row> rows, List<String> ordered) {
        StructType schema = rows.schema();
        NewestOfTask task = new NewestOfTask(schema, schema.fieldIndex(KeyColumns.FIRST), key.wide(),
                ordered.stream().mapToInt(schema::fieldIndex).toArray(), partition(rows), several);
        var rdd = rows.queryExecution().toRdd().toJavaRDD().mapPartitions(task).rdd();
        return (Dataset<Row>) append.session.internalCreateDataFrame(rdd, schema, false);
    }

    private boolean ownFiles(Dataset<Row> sorted, List<Action> feed, String metadata) throws Exception {
        int at = append.change.metadata().schema().length();
        SeveralPartitions noted = partition(sorted) < 0 ? null : several;
        PutTask task = new PutTask(append.task(), at, key.wide(), noted, place(sorted, PARTIAL));
        List<PutTask.Done> done = Jobs.collect(sorted.queryExecution().toRdd(), task);
        if (done.stream().anyMatch(PutTask.Done::partial)) {
            return false; // VACUUM removes the files
        }
        List<KeyBlock> keys = new ArrayList<>();
        List<WriteTask.Written> files = new ArrayList<>();
        for (PutTask.Done each : done) {
            keys.add(each.puts());
            keys.add(each.deletes());
            if (each.file() != null) {
                files.add(each.file());
            }
        }
        List<Action> actions = append.added(files);
        Map<AddFile, KeyBlock> added = new LinkedHashMap<>();
        for (PutTask.Done each : done) {
            if (each.file() != null) {
                added.put((AddFile) actions.get(added.size()), each.puts());
            }
        }
        actions.addAll(feed);
        commit(actions, keys, added, metadata);
        return true;
    }

    /** By Delta's own writer, which knows partitions; the index reads the new files from the log. */
    private boolean deltaFiles(Dataset<Row> sorted, List<Action> feed, String metadata) {
        Dataset<Row> made = (Dataset<Row>) last(sorted).localCheckpoint(true);
        try {
            Dataset<Row> puts = (Dataset<Row>) made.where(functions.col(PUT));
            if (place(made, PARTIAL) >= 0 && !puts.where(functions.col(PARTIAL)).isEmpty()) {
                return false;
            }
            List<Action> actions = files((Dataset<Row>) puts.select(table()));
            actions.addAll(feed);
            commit(actions, keys(made), null, metadata);
            return true;
        } finally {
            ((LogicalRDD) made.queryExecution().analyzed()).rdd().unpersist(false);
        }
    }

    private Column[] table() {
        return Arrays.stream(append.change.metadata().schema().fieldNames())
                .map(KeyColumns::column).toArray(Column[]::new);
    }

    private List<Action> files(Dataset<Row> rows) {
        return new ArrayList<>(CollectionConverters.asJava(append.change.writeFiles(rows, Option.empty())));
    }

    /** The keys of changes, which have their longs, and their partitions. */
    private List<KeyBlock> keys(Dataset<Row> last) {
        boolean wide = key.wide();
        List<Column> columns = new ArrayList<>(List.of(functions.col(KeyColumns.FIRST)));
        if (wide) {
            columns.add(functions.col(KeyColumns.SECOND));
        }
        int partition = partition(last) < 0 ? -1 : columns.size();
        if (partition >= 0) {
            columns.add(functions.col(PARTITION));
        }
        Dataset<Row> keys = (Dataset<Row>) last.select(columns.toArray(Column[]::new));
        return keys.queryExecution().toRdd().toJavaRDD().mapPartitions(rows -> {
            KeyBlock block = new KeyBlock(null, wide);
            rows.forEachRemaining(row -> block.add(row, 0, 0, partition));
            return List.of(block).iterator();
        }).collect();
    }

    /** Commit new files and the deletion of the rows that have the keys, if there are any. */
    private void commit(List<Action> actions, List<KeyBlock> keys, Map<AddFile, KeyBlock> added, String metadata) {
        Map<Integer, KeyBlock> gone = index.find(keys, append.change.snapshot(), append.session, several);
        if (actions.isEmpty() && gone.isEmpty()) {
            return;
        }
        DeletionVectors vectors = DeletionVectors.of(append.log, index, gone);
        actions.addAll(vectors.actions);
        if (bound != null) {
            actions.add(bound);
        }
        Failpoints.hit("delta.before_commit");
        try {
            version = append.commit(actions, metadata);
        } catch (ConcurrentTransactionException late) {
            throw CommitFence.lost(writer, batch, late);
        }
        if (added == null) {
            index.changed(keys);
        } else {
            index.committed(version, append.change.metadata().id(), gone, vectors.changed, added);
        }
    }
}
