package sluice.delta;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.actions.Action;
import org.apache.spark.sql.delta.actions.AddFile;
import org.apache.spark.sql.delta.actions.RemoveFile;
import org.apache.spark.sql.delta.deletionvectors.RoaringBitmapArray;
import org.apache.spark.sql.delta.util.DeltaFileOperations;
import org.apache.spark.sql.functions;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import sluice.changes.SeveralPartitions;

/**
 * Where the row of each key of a table is: in which data file, and at which number in it. It also knows
 * the partition that the last change of the key came from, if that was made since it was built.
 *
 * <p>Data files never change, so it follows the table's log: a commit costs as much as the keys in its
 * new files. It is built when a table is first written to by key. A table with so many keys that they
 * would take more than a part of the memory is not indexed; its key columns are scanned for each batch.
 */
public final class KeyIndex {
    /** How much of the memory the index of a table may take: a quarter. */
    private static final int PART = 4;

    /** Rows whose keys are read by one Spark job. */
    private static final long AT_ONCE = 4_000_000;

    /** A place is the number of a partition, 0 if it is not known, that of a file, and that of a row in it. */
    private static final int PARTITION_BITS = 10;

    private static final int FILE_BITS = 22;
    private static final int ROW_BITS = 31;
    private static final long PARTITION_MASK = ((1L << PARTITION_BITS) - 1) << (FILE_BITS + ROW_BITS);

    /** The place of a key of whose row it is not known yet where it is: the first file is none. */
    private static final long NOWHERE = 0;

    /** Files after which they are numbered anew: as many may still come with one batch. */
    private static final int MOST_FILES = 1 << (FILE_BITS - 1);

    private static final Map<String, KeyIndex> OPEN = new ConcurrentHashMap<>();

    private final DeltaLog log;
    private final KeyColumns key;
    private final List<AddFile> files = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<Integer> partitions = new ArrayList<>(List.of(SeveralPartitions.UNKNOWN));
    private final Map<Integer, Integer> partitionNumbers = new HashMap<>();
    private KeyMap places;
    private String table = "";
    private boolean counted = true;
    private long version = -1;

    private KeyIndex(DeltaLog log, KeyColumns key) {
        this.log = log;
        this.key = key;
    }

    /** The index of a table by this key, as of a snapshot. */
    public static KeyIndex of(DeltaLog log, Snapshot snapshot, KeyColumns key) {
        KeyIndex index = OPEN.compute(log.dataPath().toString(), (path, open) ->
                open != null && open.key.equals(key) ? open : new KeyIndex(log, key));
        index.follow(snapshot);
        return index;
    }

    /** Whether rows of a table are being changed by its key. */
    public static boolean isOpen(DeltaLog log) {
        KeyIndex open = OPEN.get(log.dataPath().toString());
        return open != null && open.places != null;
    }

    /** The columns of the key of a table that is open. */
    public static KeyColumns key(DeltaLog log) {
        return OPEN.get(log.dataPath().toString()).key;
    }

    /** Release the memory of a table's index. */
    public static void forget(String path) {
        String plain = new Path(path).toUri().getPath();
        OPEN.keySet().removeIf(open -> new Path(open).toUri().getPath().equals(plain));
    }

    /** The file of a place that {@code find} gave. */
    public AddFile file(int number) {
        return files.get(number);
    }

    /**
     * The rows that have these keys, as numbers by file. Where changes of them come from other partitions
     * than those before, {@code several} gets to know, unless it is null.
     */
    public synchronized Map<Integer, KeyBlock> find(List<KeyBlock> wanted, Snapshot snapshot, SparkSession session,
            SeveralPartitions several) {
        Map<Integer, KeyBlock> found = new TreeMap<>();
        if (places == null) {
            scan(wanted, snapshot, session, found);
            return found;
        }
        for (KeyBlock block : wanted) {
            for (int n = 0; n < block.size(); n++) {
                long place = places.find(block.first(n), block.second(n));
                if (place != KeyMap.NONE && files.get(fileOf(place)) != null) {
                    found.computeIfAbsent(fileOf(place), at -> new KeyBlock(files.get(at).path(), key.wide()))
                            .add(block.first(n), block.second(n), rowOf(place), SeveralPartitions.UNKNOWN);
                    if (several != null) {
                        several.compare(partitionOf(place), block.partition(n));
                    }
                }
            }
        }
        return found;
    }

    private void scan(List<KeyBlock> wanted, Snapshot snapshot, SparkSession session, Map<Integer, KeyBlock> found) {
        KeyMap keys = new KeyMap(key.wide());
        for (KeyBlock block : wanted) {
            for (int n = 0; n < block.size(); n++) {
                keys.put(block.first(n), block.second(n), 0);
            }
        }
        if (keys.size() == 0 || numbers.isEmpty()) {
            return;
        }
        Broadcast<KeyMap> sent = JavaSparkContext.fromSparkContext(session.sparkContext()).broadcast(keys);
        try {
            List<AddFile> all = files.stream().filter(each -> each != null).toList();
            Map<String, Integer> paths = paths(all);
            for (KeyBlock block : read(all, snapshot, sent)) {
                KeyBlock rows = found.computeIfAbsent(number(block, paths), at -> new KeyBlock(block.file, key.wide()));
                for (int n = 0; n < block.size(); n++) {
                    rows.add(block.first(n), block.second(n), block.row(n), SeveralPartitions.UNKNOWN);
                }
            }
        } finally {
            sent.destroy();
        }
    }

    /**
     * Take over a commit of this process, the next one after the snapshot that this has: rows that were
     * found in it are gone, the changed files have new deletion vectors, and there are new files.
     */
    public synchronized void committed(long made, String id, Map<Integer, KeyBlock> gone,
            Map<Integer, AddFile> changed, Map<AddFile, KeyBlock> added) {
        if (made != version + 1) {
            return; // others committed between: the log has it all
        }
        for (Map.Entry<Integer, KeyBlock> each : gone.entrySet()) {
            KeyBlock block = each.getValue();
            for (int n = 0; places != null && n < block.size(); n++) {
                places.remove(block.first(n), block.second(n));
            }
            AddFile file = changed.get(each.getKey());
            if (file == null) {
                numbers.remove(files.get(each.getKey()).path());
            }
            files.set(each.getKey(), file);
        }
        added.forEach((file, block) -> put(add(file), block));
        version = made;
        table = id;
    }

    /**
     * The rows of a block, copied from old files, whose originals are still there. The others were
     * deleted or put again since: they are {@code gone}.
     */
    public synchronized KeyBlock live(KeyBlock rows, Set<String> old, RoaringBitmapArray gone) {
        KeyBlock live = new KeyBlock(rows.file, key.wide());
        for (int n = 0; n < rows.size(); n++) {
            long place = places.find(rows.first(n), rows.second(n));
            AddFile file = place == KeyMap.NONE ? null : files.get(fileOf(place));
            if (file != null && old.contains(file.path())) {
                live.add(rows.first(n), rows.second(n), rows.row(n), partitionOf(place));
            } else {
                gone.add(rows.row(n) & 0xFFFFFFFFL);
            }
        }
        return live;
    }

    /** The files of these that the table still has, as it has them. */
    public synchronized List<AddFile> present(Set<String> paths) {
        return paths.stream().filter(numbers::containsKey).map(path -> files.get(numbers.get(path))).toList();
    }

    /** Take over a commit of this process that moved rows to other files. */
    public synchronized void moved(long made, Set<String> old, Map<AddFile, KeyBlock> added) {
        if (made != version + 1) {
            return;
        }
        for (String path : old) {
            Integer number = numbers.remove(path);
            if (number != null) {
                files.set(number, null);
            }
        }
        added.forEach((file, block) -> put(add(file), block));
        version = made;
    }

    /** Remember the partitions of changes whose commit is going to be read from the log. */
    public synchronized void changed(List<KeyBlock> keys) {
        for (KeyBlock block : keys) {
            for (int n = 0; places != null && n < block.size(); n++) {
                int partition = numbered(block.partition(n));
                if (partition > 0) {
                    long place = places.find(block.first(n), block.second(n));
                    long there = place == KeyMap.NONE ? NOWHERE : place & ~PARTITION_MASK;
                    places.put(block.first(n), block.second(n), place(partition, 0, 0) | there);
                }
            }
        }
    }

    private synchronized void follow(Snapshot snapshot) {
        boolean many = places != null && files.size() > MOST_FILES;
        if (!snapshot.metadata().id().equals(table) || version > snapshot.version() || many) {
            build(snapshot);
        } else if (version < snapshot.version() && !readLog(snapshot)) {
            build(snapshot);
        }
        version = snapshot.version();
        table = snapshot.metadata().id();
    }

    private void build(Snapshot snapshot) {
        files.clear();
        files.add(null); // the file of rows that are nowhere
        numbers.clear();
        places = null;
        counted = true;
        List<AddFile> all = snapshot.version() < 0 ? List.of() : snapshot.allFiles().collectAsList();
        long rows = all.stream().mapToLong(KeyIndex::rows).sum();
        boolean fits = KeyMap.bytes(rows, key.wide()) <= Runtime.getRuntime().maxMemory() / PART;
        if (fits && all.size() <= MOST_FILES) {
            places = new KeyMap(key.wide());
        }
        load(all, snapshot);
    }

    /** Apply the commits since the last snapshot; false if the log does not have them any more. */
    private boolean readLog(Snapshot snapshot) {
        Map<String, AddFile> added = new LinkedHashMap<>();
        long next = version + 1;
        var commits = CollectionConverters.asJava(log.getChanges(next, Option.empty(), false));
        while (commits.hasNext() && next <= snapshot.version()) {
            Tuple2<Object, Seq<Action>> commit = commits.next();
            if ((Long) commit._1() != next++) {
                return false;
            }
            List<Action> actions = CollectionConverters.asJava(commit._2());
            for (Action action : actions) {
                if (action instanceof RemoveFile removed) {
                    added.remove(removed.path());
                    Integer number = numbers.remove(removed.path());
                    if (number != null) {
                        files.set(number, null);
                    }
                }
            }
            for (Action action : actions) {
                if (action instanceof AddFile file) {
                    added.put(file.path(), file);
                }
            }
        }
        if (next <= snapshot.version()) {
            return false;
        }
        for (String path : added.keySet()) { // as OPTIMIZE or a conversion may add a file that is there
            Integer number = numbers.remove(path);
            if (number != null) {
                files.set(number, null);
            }
        }
        load(List.copyOf(added.values()), snapshot);
        return true;
    }

    private void load(List<AddFile> added, Snapshot snapshot) {
        int from = 0;
        while (from < added.size()) {
            long rows = 0;
            int to = from;
            while (to < added.size() && (to == from || rows + rows(added.get(to)) <= AT_ONCE)) {
                rows += rows(added.get(to++));
            }
            List<AddFile> some = added.subList(from, to);
            some.forEach(this::add);
            if (places != null) {
                Map<String, Integer> paths = paths(some);
                for (KeyBlock block : read(some, snapshot, null)) {
                    put(number(block, paths), block);
                }
            }
            from = to;
        }
    }

    /** Whether it is known of every file how many rows it has, as deletion vectors demand. */
    public synchronized boolean counted() {
        return counted;
    }

    private int add(AddFile file) {
        counted &= file.numPhysicalRecords().isDefined() && rows(file) < 1L << ROW_BITS;
        numbers.put(file.path(), files.size());
        files.add(file);
        return files.size() - 1;
    }

    /** Set the places of keys. Where a key was already, and rows have no partition, it keeps that it had. */
    private void put(int number, KeyBlock block) {
        for (int n = 0; places != null && n < block.size(); n++) {
            int partition = numbered(block.partition(n));
            places.put(block.first(n), block.second(n), place(partition, number, block.row(n)),
                    partition == 0 ? PARTITION_MASK : 0);
        }
    }

    private static long place(int partition, int file, int row) {
        return ((long) partition << FILE_BITS | file) << ROW_BITS | row;
    }

    private static int fileOf(long place) {
        return (int) (place >>> ROW_BITS) & (1 << FILE_BITS) - 1;
    }

    private static int rowOf(long place) {
        return (int) place & Integer.MAX_VALUE;
    }

    private int partitionOf(long place) {
        return partitions.get((int) (place >>> FILE_BITS + ROW_BITS));
    }

    /** The number of a partition; 0 if it is not known, or one of too many. */
    private int numbered(int partition) {
        if (partition == SeveralPartitions.UNKNOWN) {
            return 0;
        }
        Integer number = partitionNumbers.get(partition);
        if (number == null) {
            number = partitions.size() >> PARTITION_BITS == 0 ? partitions.size() : 0;
            partitionNumbers.put(partition, number);
            if (number > 0) {
                partitions.add(partition);
            }
        }
        return number;
    }

    /** The keys in files, without rows that are deleted; those that are wanted. */
    private List<KeyBlock> read(List<AddFile> some, Snapshot snapshot, Broadcast<KeyMap> wanted) {
        Dataset<Row> rows = (Dataset<Row>) log.createDataFrame(snapshot,
                scala.collection.immutable.List.from(CollectionConverters.asScala(some)), false, Option.empty());
        Column[] longs = key.longs();
        Column[] columns = java.util.Arrays.copyOf(longs, longs.length + 2);
        columns[longs.length] = functions.col("_metadata.file_path");
        columns[longs.length + 1] = functions.col("_metadata.row_index");
        Dataset<Row> keys = (Dataset<Row>) rows.select(columns).where(functions.col(KeyColumns.FIRST).isNotNull());
        return keys.queryExecution().toRdd().toJavaRDD().mapPartitions(new KeyBlocks(key.wide(), wanted)).collect();
    }

    /** The numbers of files by their absolute paths: a file with a new deletion vector has another one than before. */
    private Map<String, Integer> paths(List<AddFile> some) {
        Map<String, Integer> paths = new HashMap<>();
        for (AddFile each : some) {
            Path full = DeltaFileOperations.absolutePath(log.dataPath().toString(), each.path());
            paths.put(full.toUri().getPath(), numbers.get(each.path()));
        }
        return paths;
    }

    private static int number(KeyBlock block, Map<String, Integer> paths) {
        return paths.get(SparkPath.fromUrlString(block.file).toPath().toUri().getPath());
    }

    private static long rows(AddFile file) {
        return file.numPhysicalRecords().isDefined() ? (Long) file.numPhysicalRecords().get() : 1L << 20;
    }
}
