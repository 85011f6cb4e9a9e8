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
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import sluice.values.Output;

/**
 * Messages of a format that ClickHouse's own code reads or writes, from and to RowBinary.
 *
 * <p>A message that ends the process, or takes too long, is found by halves, tried twice, and then as bad as
 * any other. That no process can be started is the fault of no message: it fails the task.
 */
public final class Transcoder implements Serializable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SECONDS = 40; // ClickHouse itself stops after 30
    private static final int ENOUGH = 16; // messages are worth to be joined

    private static final Map<String, List<Function<Decompressor, Joiner>>> WAYS = Map.of(
        "Arrow", List.of(given -> new ArrowFiles(true, given)),
        "ArrowStream", List.of(given -> new ArrowFiles(false, given)),
        "ORC", List.of(OrcFiles::new),
        "Parquet", List.of(Transcoder::merged, given -> new ParquetFiles(schema -> new CopiedGroups())));

    private final String python;
    private final String script;
    private final String asked;
    private final int skip;
    private final boolean blocks;
    private final String joins;

    /** From what {@code sluice.formats.transcoding} says. */
    public Transcoder(String spec) {
        try {
            JsonNode given = JSON.readTree(spec);
            python = given.get("python").asText();
            script = given.get("script").asText();
            asked = given.get("asked").toString();
            skip = given.get("asked").get("skip").asInt();
            blocks = given.get("asked").get("blocks").asBoolean();
            boolean joined = given.get("asked").path("joins").asBoolean();
            joins = joined ? given.get("asked").get("name").asText() : "";
        } catch (JsonProcessingException bad) {
            throw new IllegalArgumentException(bad);
        }
    }

    private static Joiner merged(Decompressor decompressor) {
        Effort effort = new Effort();
        return new ParquetFiles(schema -> new MergedGroup(schema, decompressor, effort));
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
        if (!joins.isEmpty()) join(given, places, found);
        read(given, places, found, false);
        return found;
    }

    /** Read the messages that can be joined into files, and take them from the lists. */
    private void join(List<byte[]> messages, List<Integer> places, Read[] found) {
        BitSet read = new BitSet();
        try (Decompressor decompressor = new Decompressor()) {
            List<Integer> left = IntStream.range(0, messages.size()).boxed().toList();
            for (Function<Decompressor, Joiner> way : WAYS.get(joins)) {
                left = join(way, decompressor, messages, left, places, found, read);
            }
        }
        for (int i = messages.size() - 1; i >= 0; i--) {
            if (!read.get(i)) continue;
            messages.remove(i);
            places.remove(i);
        }
    }

    /** Read some of the messages as files; those that cannot be joined this way. */
    private List<Integer> join(Function<Decompressor, Joiner> way, Decompressor decompressor, List<byte[]> messages,
            List<Integer> some, List<Integer> places, Read[] found, BitSet read) {
        if (some.size() < ENOUGH) return some;
        Joiner files = way.apply(decompressor);
        List<Integer> others = new ArrayList<>();
        for (int i : some) {
            if (!files.add(i, messages.get(i))) others.add(i);
        }
        for (JoinedFile each : files.joined()) {
            List<Integer> joined = each.messages;
            if (joined.size() < ENOUGH) {
                others.addAll(joined);
            } else if (rows(each, places, found)) {
                joined.forEach(read::set);
            } else { // for one of them, or for all
                int half = joined.size() / 2;
                join(way, decompressor, messages, joined.subList(0, half), places, found, read);
                join(way, decompressor, messages, joined.subList(half, joined.size()), places, found, read);
            }
        }
        return others;
    }

    /** Read a joined file; whether it could be, and has the rows that its messages say. */
    private boolean rows(JoinedFile file, List<Integer> places, Read[] found) {
        Map<String, Object> head = head();
        head.put("does", "rows");
        head.put("format", "'" + file.format + "'");
        List<byte[]> rows;
        try {
            Child.Answer answer = ask(List.of(file.bytes()), head);
            if (answer.head().has("error")) return false;
            rows = texts(answer.parts().get(0));
        } catch (Child.Lost lost) {
            return false;
        }
        if (rows.size() != file.counts.stream().mapToLong(Integer::longValue).sum()) return false;
        int next = 0;
        for (int i = 0; i < file.messages.size(); i++) {
            int count = file.counts.get(i);
            found[places.get(file.messages.get(i))] = new Read(whole(rows.subList(next, next + count)), null);
            next += count;
        }
        return true;
    }

    private static byte[] whole(List<byte[]> rows) {
        if (rows.isEmpty()) return null;
        if (rows.size() == 1) return rows.get(0);
        Output made = new Output();
        rows.forEach(made::put);
        return made.message();
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
