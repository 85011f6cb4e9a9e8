package sluice.delta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * The locks on data folders that this JVM holds.
 *
 * <p>They are reachable from a static field: a lock is released by its release or by the end of the
 * JVM, never by the garbage collector. The file names the process that holds it.
 */
public final class FolderLock {
    private static final Map<String, FileLock> HELD = new HashMap<>();

    private FolderLock() {}

    /** Take a lock; the empty text if it is taken, else what its owner has written into the file. */
    public static synchronized String take(String path) throws IOException {
        if (HELD.containsKey(path)) {
            return "";
        }
        FileChannel channel = FileChannel.open(
                Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
            if (lock == null) {
                ByteBuffer owner = ByteBuffer.allocate(20);
                channel.read(owner, 0);
                String pid = new String(owner.array(), 0, owner.position(), StandardCharsets.US_ASCII).strip();
                return pid.isEmpty() ? "(unknown)" : pid;
            }
            channel.truncate(0);
            channel.write(StandardCharsets.US_ASCII.encode(String.valueOf(ProcessHandle.current().pid())), 0);
            HELD.put(path, lock);
            return "";
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    /** Release a lock that this JVM holds. */
    public static synchronized void release(String path) throws IOException {
        FileLock lock = HELD.remove(path);
        if (lock != null) {
            lock.acquiredBy().close();
        }
    }
}
