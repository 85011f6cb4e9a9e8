package sluice.transcode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Messages of a format that ClickHouse's own code reads or writes, from and to RowBinary.
 *
 * <p>A message that ends the process, or takes too long, is found by halves, tried twice, and then as bad as
 * any other. That no process can be started is the fault of no message: it fails the task.
 */
public final class Transcoder implements Serializable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SECONDS = 40; // ClickHouse itself stops after 30

    private final String python;
    private final String script;
    private final String asked;
    private final int skip;
    private final boolean blocks;

    /** From what {@code sluice.formats.transcoding} says. */
    public Transcoder(String spec) {
        try {
            JsonNode given = JSON.readTree(spec);
            python = given.get("python").asText();
            script = given.get("script").asText();
            asked = given.get("asked").toString();
            skip = given.get("asked").get("skip").asInt();
            blocks = given.get("asked").get("blocks").asBoolean();
        } catch (JsonProcessingException bad) {
            throw new IllegalArgumentException(bad);
        }
    }

    /** What became of a message: rows, or what is wrong with it; neither if there is nothing in it. */
    public record Read(byte[] rows, String error) {}

    /** The rows of messages; there is no message that is null. */
    public Read[] read(List<byte[]> messages) {
        Read[] found = new Read[messages.size()];
        List<byte[]> given = new ArrayList<>(messages.size());
        List<Integer> places = new ArrayList<>(messages.size());
        for (int i = 0; i < found.length; i++) {
            byte[] message = messages.get(i);
            if (message.length < skip) {
                found[i] = new Read(null, "The message has " + message.length
                    + " bytes, fewer than kafka_schema_registry_skip_bytes = " + skip);
                continue;
            }
            given.add(skip == 0 ? message : Arrays.copyOfRange(message, skip, message.length));
            places.add(i);
        }
        read(given, places, found, false);
        return found;
    }

    private void read(List<byte[]> messages, List<Integer> places, Read[] found, boolean last) {
        if (messages.isEmpty()) return;
        try {
            Child.Answer answer = ask(messages, head());
            if (answer.head().has("error")) throw new Child.Lost(answer.head().get("error").asText());
            places.forEach(at -> found[at] = new Read(null, null));
            for (byte[] part : answer.parts()) rows(part, places, found);
            answer.head().get("errors").fields().forEachRemaining(bad ->
                found[places.get(Integer.parseInt(bad.getKey()))] = new Read(null, bad.getValue().asText()));
        } catch (Child.Lost lost) {
            if (messages.size() == 1) {
                found[places.get(0)] = last ? new Read(null, lost.getMessage()) : null;
                if (!last) read(messages, places, found, true); // another one may have taken the memory
                return;
            }
            int half = messages.size() / 2;
            read(messages.subList(0, half), places.subList(0, half), found, false);
            read(messages.subList(half, messages.size()), places.subList(half, messages.size()), found, false);
        }
    }

    /** The messages that lists of rows become, each given as RowBinary with the number of its rows. */
    public List<byte[]> write(List<byte[]> rows, boolean single) {
        Map<String, Object> head = head();
        boolean byRow = single && !blocks;
        head.put("rows", byRow);
        try {
            Child.Answer answer = ask(rows, head);
            if (answer.head().has("error")) throw new IllegalArgumentException(answer.head().get("error").asText());
            List<byte[]> made = byRow ? texts(answer.parts().get(0)) : answer.parts();
            if (made.size() != rows.size()) {
                throw new IllegalStateException(made.size() + " messages of " + rows.size());
            }
            return made;
        } catch (Child.Lost lost) {
            throw new IllegalStateException(lost.getMessage());
        }
    }

    private Child.Answer ask(List<byte[]> messages, Map<String, Object> head) throws Child.Lost {
        Child child = Children.take(python, script);
        boolean answered = false;
        try {
            Child.Answer answer = child.ask(head, messages, SECONDS);
            answered = true;
            return answer;
        } finally {
            if (answered) {
                Children.give(child);
            } else {
                child.close();
            }
        }
    }

    private Map<String, Object> head() {
        try {
            return JSON.readValue(asked, new TypeReference<>() {});
        } catch (JsonProcessingException bad) {
            throw new IllegalStateException(bad);
        }
    }

    /** Rows of a number and a text. */
    private static void rows(byte[] part, List<Integer> places, Read[] found) {
        ByteBuffer in = ByteBuffer.wrap(part).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            int place = places.get(in.getInt());
            found[place] = new Read(text(in), null);
        }
    }

    private static List<byte[]> texts(byte[] part) {
        ByteBuffer in = ByteBuffer.wrap(part);
        List<byte[]> found = new ArrayList<>();
        while (in.hasRemaining()) found.add(text(in));
        return found;
    }

    private static byte[] text(ByteBuffer in) {
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            length |= (next & 0x7f) << shift;
            if (next >= 0) break;
        }
        byte[] found = new byte[length];
        in.get(found);
        return found;
    }
}
