package sluice.parquet;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.delta.DeltaConcurrentModificationException;
import org.apache.spark.sql.delta.DeltaOperations;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.actions.DeletionVectorDescriptor;
import org.apache.spark.sql.delta.deletionvectors.RoaringBitmapArray;
import scala.jdk.javaapi.CollectionConverters;
import sluice.delta.DeletionVectors;
import sluice.faults.Failpoints;

/**
 * Deletes rows of a Delta table that are known by their files and numbers, and adds others, in one commit.
 *
 * <p>It has read nothing but the files it names, so rows that others append meanwhile are no conflict, and
 * theirs is none with it. It fails if one of its files has changed since the rows were looked up.
 */
public final class Mutation {
    /** The outcomes besides the version of the commit. */
    private static final long CHANGED = -1;
    private static final long IMPOSSIBLE = -2;

    private Mutation() {}

    /**
     * Commit. The files have a path, the identity of the deletion vector that they had, and the rows
     * to delete, as portable bitmaps; {@code added} are the rows to add, NULL for none, in the shape
     * of {@code shape}. The version, -1 if a file has changed, or -2 if the table does not permit this.
     */
    public static long commit(Dataset<Row> shape, Dataset<Row> added, String path, List<String> paths,
            List<String> vectors, List<byte[]> rows, boolean own) throws JsonProcessingException {
        try {
            return once(shape, added, path, paths, vectors, rows, own);
        } catch (DeltaConcurrentModificationException others) {
            return CHANGED;
        }
    }

    private static long once(Dataset<Row> shape, Dataset<Row> added, String path, List<String> paths,
            List<String> vectors, List<byte[]> rows, boolean own) throws JsonProcessingException {
        Dataset<Row> given = added == null ? shape : added;
        Append append = new Append(given, path);
        if (Upsert.set(append, Map.of(Upsert.VECTORS, "true"))) {
            append = new Append(given, path);
        }
        Map<String, String> configured = CollectionConverters.asJava(append.change.metadata().configuration());
        if ("false".equalsIgnoreCase(configured.get(Upsert.VECTORS)) || (added != null && !append.matches())) {
            return IMPOSSIBLE;
        }
        Map<String, AddFile> files = new HashMap<>();
        for (AddFile file : append.change.snapshot().allFiles().collectAsList()) {
            files.put(file.toPath().toUri().getPath(), file);
        }
        Map<AddFile, RoaringBitmapArray> gone = new HashMap<>();
        for (int n = 0; n < paths.size(); n++) {
            AddFile file = files.get(paths.get(n));
            if (file == null || !identity(file.deletionVector()).equals(vectors.get(n))) {
                return CHANGED;
            }
            if (!file.numPhysicalRecords().isDefined()) {
                return IMPOSSIBLE;
            }
            gone.put(file, RoaringBitmapArray.readFrom(rows.get(n)));
        }
        List<Action> actions = new ArrayList<>(DeletionVectors.of(append.log, gone).actions);
        if (added != null) {
            actions.addAll(append.files(own));
        }
        Failpoints.hit("delta.before_commit");
        return append.change.commit(
                scala.collection.immutable.List.from(CollectionConverters.asScala(actions)),
                DeltaOperations.ManualUpdate$.MODULE$);
    }

    /** What tells a deletion vector from all others; empty for none. */
    private static String identity(DeletionVectorDescriptor vector) {
        if (vector == null) {
            return "";
        }
        Object offset = vector.offset().isDefined() ? vector.offset().get() : 0;
        return vector.storageType() + vector.pathOrInlineDv() + "@" + offset;
    }
}
