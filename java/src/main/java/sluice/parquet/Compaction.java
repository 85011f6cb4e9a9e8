package sluice.parquet;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.DeltaOperations;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.deletionvectors.RoaringBitmapArray;
import org.apache.spark.sql.functions;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import sluice.delta.DeletionVectors;
import sluice.delta.KeyColumns;
import sluice.delta.KeyBlock;
import sluice.delta.KeyIndex;
import sluice.jobs.Jobs;

/**
 * Rewrites the small files of a table that is changed by its key, and those with many deleted rows.
 *
 * <p>Rows are copied while batches go on to change the table. What they have deleted or replaced
 * meanwhile is marked in the new files by deletion vectors, in the commit that puts these in the place
 * of the old ones: neither side ever fails because of the other, and only the commit needs the lock.
 */
public final class Compaction {
    /** A file is rewritten if one of so many of its rows is deleted. */
    private static final int DELETED = 4;

    private final Dataset<Row> rows;
    private final String path;
    private final KeyColumns key;
    private final String schema;
    private final Set<String> old;
    private final List<PutTask.Done> made;

    private Compaction(Dataset<Row> rows, String path, KeyColumns key, Append append, Set<AddFile> files,
            List<PutTask.Done> made) {
        this.rows = rows;
        this.path = path;
        this.key = key;
        this.made = made;
        schema = append.change.metadata().schemaString();
        old = files.stream().map(AddFile::path).collect(Collectors.toSet());
    }

    /**
     * Copy the rows of files of fewer bytes than {@code small} to files of about {@code large}; without
     * {@code every} of those that are worth it. NULL if the table is not being changed by key; its files
     * are then merged by Delta.
     */
    public static Compaction copy(SparkSession session, String path, long small, long large, boolean every) {
        DeltaLog log = DeltaLog.forTable(session, path);
        if (!KeyIndex.isOpen(log)) {
            return null;
        }
        KeyColumns key = KeyIndex.key(log);
        Snapshot snapshot = log.update(false, Option.empty(), Option.empty());
        Set<AddFile> files = new LinkedHashSet<>(SmallFiles.of(snapshot, small, every));
        for (AddFile file : snapshot.allFiles().collectAsList()) {
            if (file.numDeletedRecords() * DELETED > physical(file)) {
                files.add(file);
            }
        }
        long bytes = files.stream().mapToLong(AddFile::size).sum();
        Dataset<Row> rows = (Dataset<Row>) log.createDataFrame(snapshot,
                scala.collection.immutable.List.from(CollectionConverters.asScala(files)), false, Option.empty());
        Append append = new Append(rows, path);
        if (!append.fits() || !append.matches()) {
            return null;
        }
        List<Column> columns = append.columns();
        int width = columns.size();
        columns.addAll(Arrays.asList(key.longs()));
        columns.add(functions.lit(true));
        Dataset<Row> copied = (Dataset<Row>) rows.coalesce((int) (bytes / large) + 1)
                .select(columns.toArray(Column[]::new));
        PutTask task = new PutTask(append.task(), width, key.wide(), null, -1);
        List<PutTask.Done> made = files.isEmpty() ? List.of()
                : Jobs.collect(copied.queryExecution().toRdd(), task);
        return new Compaction(rows, path, key, append, files, made);
    }

    /** Put the new files in the place of the old ones; whether there were any. */
    public boolean commit() throws JsonProcessingException {
        if (old.isEmpty()) {
            return false;
        }
        Append append = new Append(rows, path);
        Snapshot snapshot = append.change.snapshot();
        if (!snapshot.metadata().schemaString().equals(schema)) {
            return false; // the columns are others by now: the next round copies them
        }
        KeyIndex index = KeyIndex.of(append.log, snapshot, key);
        if (!KeyIndex.isOpen(append.log)) {
            return false; // it has grown too large for an index
        }
        List<Action> actions = new ArrayList<>();
        Map<AddFile, KeyBlock> added = new LinkedHashMap<>();
        try (DeletionVectors.Writer vectors = new DeletionVectors.Writer(append.log)) {
            for (PutTask.Done each : made) {
                if (each.file() == null) {
                    continue;
                }
                each.file().added().put("dataChange", false);
                AddFile file = (AddFile) append.added(List.of(each.file())).get(0);
                RoaringBitmapArray gone = new RoaringBitmapArray();
                KeyBlock live = index.live(each.puts(), old, gone);
                if (gone.cardinality() == physical(file)) {
                    continue;
                }
                if (!gone.isEmpty()) {
                    file = file.removeRows(vectors.write(gone), true, false)._1();
                }
                actions.add(file);
                added.put(file, live);
            }
        }
        for (AddFile each : index.present(old)) {
            actions.add(each.removeWithTimestamp(System.currentTimeMillis(), false));
        }
        long version = append.change.commit(
                scala.collection.immutable.List.from(CollectionConverters.asScala(actions)),
                DeltaOperations.ManualUpdate$.MODULE$);
        index.moved(version, old, added);
        return true;
    }

    private static long physical(AddFile file) {
        return file.numPhysicalRecords().isDefined() ? (Long) file.numPhysicalRecords().get() : Long.MAX_VALUE;
    }
}
