package sluice.formats;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.Decoder;
import sluice.encode.Encoder;
import sluice.transcode.Transcoder;

/**
 * For tests in Python: reads a message in one format and writes its rows in another, without Spark.
 *
 * <p>A request is a line of JSON, {@code {"columns", "read": [class, settings], "write": …, "message"}}, with the columns
 * of messages as {@code "first"} if they are not those of what ClickHouse makes of them,
 * with how ClickHouse reads or writes as {@code "read_by"} and {@code "written_by"}, and what reads its rows as
 * {@code "carrier"} if it only reads what the decoder refuses; and so is its answer: {@code {"by", "rows": n, "message"}} or
 * {@code {"by", "error"}}, where {@code by} is who has read the message. Messages are in Base64.
 * {@code {"read_by", "messages"}} is answered with what ClickHouse makes of each, {@code {"read": [{"rows"} or {"error"}]}}.
 */
public final class Convert {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int KEPT = 64;
    private static final Map<List<String>, Object> CODECS = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, Object> eldest) {
            return size() > KEPT;
        }
    };

    private Convert() {}

    public static void main(String[] none) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) out.println(answer(JSON.readTree(line)));
    }

    private static ObjectNode answer(JsonNode asked) {
        ObjectNode found = JSON.createObjectNode();
        try {
            if (asked.has("messages")) return found.set("read", read(asked));
            Decoder decoder = (Decoder) codec(asked, "read");
            byte[] given = Base64.getDecoder().decode(asked.get("message").asText());
            ArrayData first = asked.has("carrier") || !asked.has("read_by") ? decoder.decode(given) : null;
            boolean here = first != null && !(asked.has("carrier") && Decoder.isError(first));
            found.put("by", here ? "JVM" : "ClickHouse");
            if (!here) {
                if (asked.has("carrier")) decoder = (Decoder) codec(asked, "carrier");
                Transcoder.Read read = transcoder(asked, "read_by").read(List.of(given))[0];
                if (read.error() != null) return found.put("error", read.error());
                if (read.rows() == null) return found.put("rows", 0).put("message", "");
                given = read.rows();
            }
            ArrayData rows = plain(here ? first : decoder.decode(given), found);
            if (rows == null) return found;
            byte[] message = {};
            if (rows.numElements() > 0) message = ((Encoder) codec(asked, "write")).encode(rows);
            if (asked.has("written_by") && rows.numElements() > 0) {
                message = transcoder(asked, "written_by").write(List.of(message), rows.numElements() == 1).get(0);
            }
            return found.put("rows", rows.numElements()).put("message", Base64.getEncoder().encodeToString(message));
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError crash) {
            StackTraceElement[] trace = crash.getStackTrace();
            return found.put("crash", crash + " " + Arrays.toString(Arrays.copyOf(trace, Math.min(8, trace.length))));
        }
    }

    private static ArrayNode read(JsonNode asked) {
        List<byte[]> messages = new ArrayList<>();
        for (JsonNode each : asked.get("messages")) messages.add(Base64.getDecoder().decode(each.asText()));
        ArrayNode found = JSON.createArrayNode();
        for (Transcoder.Read each : transcoder(asked, "read_by").read(messages)) {
            byte[] rows = each.rows() == null ? new byte[0] : each.rows();
            found.addObject().put("error", each.error()).put("rows", Base64.getEncoder().encodeToString(rows));
        }
        return found;
    }

    private static Transcoder transcoder(JsonNode asked, String part) {
        return new Transcoder(asked.get(part).asText());
    }

    private static Object codec(JsonNode asked, String part) {
        JsonNode codec = asked.get(part);
        String columns = asked.get(part.equals("read") && asked.has("first") ? "first" : "columns").asText();
        List<String> made = List.of(codec.get(0).asText(), columns, codec.get(1).asText());
        Object known = CODECS.get(made);
        if (known == null) CODECS.put(made, known = sent(Codecs.of(made.get(0), made.get(1), made.get(2))));
        return known;
    }

    /** A codec as an executor gets it. */
    private static Object sent(Object codec) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(codec);
        } catch (IOException bad) {
            throw new IllegalStateException(bad);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        } catch (IOException | ClassNotFoundException bad) {
            throw new IllegalStateException(bad);
        }
    }

    /** Rows without the place for their error; null if one has an error. */
    private static ArrayData plain(ArrayData rows, ObjectNode answer) {
        Object[] found = new Object[rows.numElements()];
        for (int i = 0; i < found.length; i++) {
            InternalRow row = rows.getStruct(i, 0);
            if (!row.isNullAt(0)) {
                answer.put("error", row.getUTF8String(0).toString());
                return null;
            }
            Object[] values = ((GenericInternalRow) row).values();
            found[i] = new GenericInternalRow(Arrays.copyOfRange(values, 1, values.length));
        }
        return new GenericArrayData(found);
    }
}
