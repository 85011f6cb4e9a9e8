package sluice.delta;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.SparkContext;

/**
 * The files of a store that is no folder of this machine: whatever Hadoop has a file system for.
 *
 * <p>Python asks for one whole answer each time, not for the parts of one.
 */
public final class Store {
    private Store() {}

    /** A line for each file below a folder: bytes, when it was changed, and its name in the folder. */
    public static String list(String folder, boolean deep) throws IOException {
        FileSystem files = files(folder);
        Path root = files.makeQualified(new Path(folder));
        StringBuilder lines = new StringBuilder();
        try {
            if (deep) {
                RemoteIterator<? extends FileStatus> found = files.listFiles(root, true);
                while (found.hasNext()) {
                    say(root, found.next(), lines);
                }
            } else {
                for (FileStatus each : files.listStatus(root)) {
                    say(root, each, lines);
                }
            }
        } catch (FileNotFoundException gone) {
            // Nothing is there, or no longer.
        }
        return lines.toString();
    }

    private static void say(Path root, FileStatus file, StringBuilder lines) {
        String name = file.getPath().toString().substring(root.toString().length() + 1);
        lines.append(file.getLen()).append('\t').append(file.getModificationTime());
        lines.append('\t').append(name).append('\n');
    }

    /** What a file holds; null if it is not there. */
    public static byte[] read(String file) throws IOException {
        try (FSDataInputStream in = files(file).open(new Path(file))) {
            return in.readAllBytes();
        } catch (FileNotFoundException gone) {
            return null;
        }
    }

    /** Make a file, whole or not at all. */
    public static void write(String file, byte[] what) throws IOException {
        FileSystem files = files(file);
        Path made = new Path(file + ".new");
        try (FSDataOutputStream out = files.create(made, true)) {
            out.write(what);
        }
        if (!files.rename(made, new Path(file))) {
            throw new IOException("cannot rename " + made);
        }
    }

    public static boolean exists(String file) throws IOException {
        return files(file).exists(new Path(file));
    }

    public static void mkdirs(String folder) throws IOException {
        files(folder).mkdirs(new Path(folder));
    }

    /** Delete a folder with all that is in it. */
    public static void remove(String folder) throws IOException {
        files(folder).delete(new Path(folder), true);
    }

    private static FileSystem files(String url) throws IOException {
        return new Path(url).getFileSystem(SparkContext.getOrCreate().hadoopConfiguration());
    }
}
