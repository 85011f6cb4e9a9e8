package sluice.parquet;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.DeltaOperations;
import org.apache.spark.sql.delta.OptimisticTransaction;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import sluice.jobs.Jobs;

/** Rewrites the small files of a table that rows are appended to as few larger ones. */
public final class SmallFiles {
    private SmallFiles() {}

    /**
     * The files of a version that are worth merging: of those of fewer bytes than {@code small} the
     * smallest, as long as the next is no larger than those before it together. So a row is rewritten
     * only when the file that it is in at least doubles. With {@code every} all small ones.
     */
    public static List<AddFile> of(Snapshot snapshot, long small, boolean every) {
        List<AddFile> found = new ArrayList<>(snapshot.allFiles().collectAsList());
        found.removeIf(file -> file.size() >= small);
        found.sort(Comparator.comparingLong(AddFile::size));
        long bytes = 0;
        for (int n = 0; n < found.size(); n++) {
            long size = found.get(n).size();
            if (!every && n > 1 && size > bytes) {
                return found.subList(0, n);
            }
            bytes += size;
        }
        return found;
    }

    /**
     * Put files of about {@code large} bytes in the place of those that {@link #of} finds: how many
     * those were, or -1 if the table's files are Delta's to write. What others append meanwhile stays.
     */
    public static int merge(SparkSession session, String path, long small, long large, boolean every)
            throws JsonProcessingException {
        Option none = Option.empty();
        DeltaLog log = DeltaLog.forTable(session, path);
        OptimisticTransaction change = log.startTransaction(none, none);
        List<AddFile> old = of(change.snapshot(), small, every);
        Dataset<Row> rows = (Dataset<Row>) log.createDataFrame(change.snapshot(),
                scala.collection.immutable.List.from(CollectionConverters.asScala(old)), false, none);
        Append append = new Append(rows, log, change);
        if (!append.fits() || !append.matches()) {
            return -1;
        }
        if (old.size() < 2) {
            return 0;
        }
        long bytes = old.stream().mapToLong(AddFile::size).sum();
        Dataset<Row> merged = (Dataset<Row>) rows.coalesce((int) (bytes / large) + 1);
        List<WriteTask.Written> made = Jobs.collect(merged.queryExecution().toRdd(), append.task());
        made.forEach(file -> file.added().put("dataChange", false));
        List<Action> actions = append.added(made);
        long now = System.currentTimeMillis();
        old.forEach(file -> actions.add(file.removeWithTimestamp(now, false)));
        change.commit(scala.collection.immutable.List.from(CollectionConverters.asScala(actions)),
                DeltaOperations.ManualUpdate$.MODULE$);
        return old.size();
    }
}
