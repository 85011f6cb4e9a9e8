package sluice.delta;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.actions.DeletionVectorDescriptor;
import org.apache.spark.sql.delta.actions.RemoveFile;
import org.apache.spark.sql.delta.deletionvectors.RoaringBitmapArray;
import org.apache.spark.sql.delta.deletionvectors.RoaringBitmapArrayFormat$;
import org.apache.spark.sql.delta.storage.dv.DeletionVectorStore;
import org.apache.spark.sql.delta.storage.dv.DeletionVectorStoreUtils;
import org.apache.spark.sql.delta.storage.dv.HadoopFileSystemDVStore;
import scala.Option;
import scala.Tuple2;

/**
 * Marks rows of data files as deleted: one file of deletion vectors for each commit.
 *
 * <p>A file of which no row is left is removed.
 */
public final class DeletionVectors {
    /** The actions of the commit. */
    public final List<Action> actions = new ArrayList<>();

    /** The files that still have rows, as they are after it. */
    public final Map<Integer, AddFile> changed = new HashMap<>();

    /** How many rows were marked. */
    public long rows;

    private DeletionVectors() {}

    /** Mark rows, by the numbers that the index has for their files. */
    public static DeletionVectors of(DeltaLog log, KeyIndex index, Map<Integer, KeyBlock> gone) {
        DeletionVectors made = new DeletionVectors();
        try (Writer writer = new Writer(log)) {
            gone.forEach((number, block) -> made.mark(number, index.file(number), block, writer));
        }
        return made;
    }

    /** Mark these rows of files as well as those that are marked in them already. */
    public static DeletionVectors of(DeltaLog log, Map<AddFile, RoaringBitmapArray> gone) {
        DeletionVectors made = new DeletionVectors();
        try (Writer writer = new Writer(log)) {
            gone.forEach((file, more) -> {
                RoaringBitmapArray deleted = writer.read(file);
                long before = deleted.cardinality();
                deleted.or(more);
                made.mark(file, deleted, before, writer);
            });
        }
        return made;
    }

    /** A file of vectors, which is made with the first one. */
    public static final class Writer implements AutoCloseable {
        private final Path root;
        private final UUID id = UUID.randomUUID();
        private final DeletionVectorStore store;
        private final DeletionVectorStoreUtils.Writer file;

        public Writer(DeltaLog log) {
            root = log.dataPath();
            store = new HadoopFileSystemDVStore(log.newDeltaHadoopConf());
            file = store.createWriter(store.generateFileNameInTable(store.pathWithFileSystem(root), id, ""));
        }

        private RoaringBitmapArray read(AddFile of) {
            return of.deletionVector() == null ? new RoaringBitmapArray() : store.read(of.deletionVector(), root);
        }

        /** Write a vector. */
        public DeletionVectorDescriptor write(RoaringBitmapArray deleted) {
            deleted.runOptimize();
            byte[] bytes = deleted.serializeAsByteArray(RoaringBitmapArrayFormat$.MODULE$.Portable());
            int offset = file.write(bytes).offset();
            return DeletionVectorDescriptor.onDiskWithRelativePath(
                    id, "", bytes.length, deleted.cardinality(), Option.apply(offset), Option.empty());
        }

        @Override
        public void close() {
            file.close();
        }
    }

    private void mark(int number, AddFile file, KeyBlock block, Writer writer) {
        RoaringBitmapArray deleted = writer.read(file);
        long before = deleted.cardinality();
        for (int n = 0; n < block.size(); n++) {
            deleted.add(block.row(n) & 0xFFFFFFFFL);
        }
        AddFile marked = mark(file, deleted, before, writer);
        if (marked != null) {
            changed.put(number, marked);
        }
    }

    /** The file with its deleted rows, of which it had so many before; NULL if no row is left. */
    private AddFile mark(AddFile file, RoaringBitmapArray deleted, long before, Writer writer) {
        long count = deleted.cardinality();
        rows += count - before;
        if ((Long) file.numPhysicalRecords().get() == count) {
            actions.add(file.removeWithTimestamp(System.currentTimeMillis(), true));
            return null;
        }
        Tuple2<AddFile, RemoveFile> both = file.removeRows(writer.write(deleted), true, true);
        actions.add(both._1());
        actions.add(both._2());
        return both._1();
    }
}
