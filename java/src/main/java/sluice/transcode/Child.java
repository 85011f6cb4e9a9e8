package sluice.transcode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A process with ClickHouse in it ({@code sluice/formats/transcoding/child.py}), for one task at a time. */
final class Child {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> PASSED = Set.of("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR");

    /** The process has ended, or took too long and was ended. */
    static final class Lost extends Exception {
        Lost(String message) {
            super(message, null, false, false);
        }
    }

    /** What a request was answered with: its head, and bytes. */
    record Answer(JsonNode head, List<byte[]> parts) {}

    private final Process process;
    private final DataOutputStream requests;
    private final DataInputStream answers;
    private final String folder;
    long idleSince;

    /** Started by a thread that stays: a child ends with the thread that has started it. */
    Child(String python, String script, int seconds) throws IOException {
        long parent = ProcessHandle.current().pid();
        ProcessBuilder builder = new ProcessBuilder(python, "-I", "-c", script, Long.toString(parent))
            .redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.keySet().retainAll(PASSED);
        process = builder.start();
        requests = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
        answers = new DataInputStream(new BufferedInputStream(process.getInputStream(), 1 << 16));
        ScheduledFuture<?> limit = limited(seconds);
        try {
            folder = JSON.readTree(part()).get("ready").asText();
        } catch (IOException gone) {
            process.destroyForcibly();
            throw gone;
        } finally {
            limit.cancel(false);
        }
    }

    boolean usable() {
        return process.isAlive();
    }

    /** The answer to a request about messages, within so many seconds. */
    Answer ask(Map<String, Object> head, List<byte[]> messages, int seconds) throws Lost {
        ScheduledFuture<?> limit = limited(seconds);
        try {
            head.put("count", messages.size());
            send(JSON.writeValueAsBytes(head));
            for (byte[] message : messages) send(message);
            requests.flush();
            JsonNode answer = JSON.readTree(part());
            byte[][] parts = new byte[answer.get("parts").asInt()][];
            for (int i = 0; i < parts.length; i++) parts[i] = part();
            return new Answer(answer, List.of(parts));
        } catch (IOException gone) {
            boolean slow = limit.isDone();
            throw new Lost(slow ? "ClickHouse did not read or write it within " + seconds + " seconds"
                : "ClickHouse crashed, or the system ended it for its memory");
        } finally {
            limit.cancel(false);
        }
    }

    /** End the process and remove its files. */
    void close() {
        process.destroyForcibly();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
        Children.remove(folder);
    }

    private ScheduledFuture<?> limited(int seconds) {
        return Children.CLOCK.schedule(process::destroyForcibly, seconds, TimeUnit.SECONDS);
    }

    private void send(byte[] part) throws IOException {
        requests.writeInt(part.length);
        requests.write(part);
    }

    private byte[] part() throws IOException {
        int length = answers.readInt();
        if (length < 0) throw new IOException("a part of " + length + " bytes");
        byte[] found = new byte[length];
        answers.readFully(found);
        return found;
    }
}
