package sluice.transcode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With a process that only pretends to have ClickHouse in it. */
class TranscoderTest {
    /** It repeats each message as its rows, and ends when one begins with an x. */
    private static final String PROCESS = """
        import json, struct, sys
        def part():
            head = sys.stdin.buffer.read(4)
            return sys.stdin.buffer.read(struct.unpack("!I", head)[0]) if head else sys.exit()
        def send(*parts):
            for each in parts:
                sys.stdout.buffer.write(struct.pack("!I", len(each)) + each)
            sys.stdout.buffer.flush()
        send(json.dumps({"ready": "/nonexistent/folder"}).encode())
        while True:
            given = [part() for _ in range(json.loads(part())["count"])]
            if any(each.startswith(b"x") for each in given):
                sys.exit(1)
            rows = b"".join(struct.pack("<IB", n, len(each)) + each for n, each in enumerate(given) if each)
            send(json.dumps({"errors": {}, "parts": 1}).encode(), rows)
        """;

    private static Transcoder transcoder(String python, int skip) {
        String script = PROCESS.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        return new Transcoder("{\"python\": \"" + python + "\", \"script\": \"" + script
            + "\", \"asked\": {\"skip\": " + skip + ", \"blocks\": false}}");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void theMessageThatEndsTheProcessIsFound() {
        List<byte[]> given = List.of(bytes("a"), bytes("b"), bytes("xyz"), bytes(""), bytes("c"));
        Transcoder.Read[] found = transcoder("python3", 0).read(given);
        assertArrayEquals(bytes("a"), found[0].rows());
        assertArrayEquals(bytes("b"), found[1].rows());
        assertEquals("ClickHouse crashed, or the system ended it for its memory", found[2].error());
        assertNull(found[3].rows());
        assertNull(found[3].error());
        assertArrayEquals(bytes("c"), found[4].rows());
    }

    @Test
    void bytesBeforeMessagesAreSkipped() {
        Transcoder.Read[] found = transcoder("python3", 2).read(List.of(bytes("12a"), bytes("1")));
        assertArrayEquals(bytes("a"), found[0].rows());
        assertEquals("The message has 1 bytes, fewer than kafka_schema_registry_skip_bytes = 2", found[1].error());
    }

    @Test
    void noMessageIsBadBecauseNothingCanBeStarted() {
        RuntimeException failed = assertThrows(IllegalStateException.class,
            () -> transcoder("/nonexistent/python", 0).read(List.of(bytes("a"))));
        assertTrue(failed.getMessage().contains("/nonexistent/python"), failed.getMessage());
    }
}
