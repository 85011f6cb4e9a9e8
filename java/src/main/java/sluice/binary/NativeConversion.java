package sluice.binary;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import sluice.scan.JsonCursor;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/** Makes values of a message's type those of a column's type, by their text, or their JSON if they hold values. */
final class NativeConversion implements Serializable {
    private static final List<String> SAME = List.of("name", "names", "nullable", "dictionary", "zone", "declared");

    private final ValueWriter writer;
    private final ValueReader reader;
    private final boolean nested;

    /** An instant is a number of seconds on the way to another one. */
    NativeConversion(TypeSpec from, TypeSpec to, Settings settings) {
        nested = List.of("items", "pairs", "parts").contains(from.kind());
        boolean instant = to.kind().equals("instant") || to.json().path("type").asText().startsWith("DateTime64");
        writer = new ValueWriters(settings.with("date_time_output_format", instant ? "unix_timestamp" : "simple")).of(texts(from));
        reader = new ValueReaders(settings.with("date_time_input_format", "basic"), false).of(to);
    }

    /** The type with texts for JSON, of which a message may have any. */
    private static TypeSpec texts(TypeSpec type) {
        JsonNode own = type.json().deepCopy();
        own.findParents("kind").forEach(node -> {
            if (node.get("kind").asText().equals("json")) ((ObjectNode) node).put("kind", "text");
        });
        return new TypeSpec(own);
    }

    /** Whether values of two types are held in the same way. */
    static boolean same(TypeSpec one, TypeSpec other) {
        return plain(one.json().deepCopy()).equals(plain(other.json().deepCopy()));
    }

    private static JsonNode plain(JsonNode type) {
        if (type instanceof ObjectNode node) node.remove(SAME);
        type.forEach(NativeConversion::plain);
        return type;
    }

    /** The value of a column for one of the message. */
    Object of(Object value) {
        Output text = new Output();
        if (nested) {
            writer.json(new GenericInternalRow(new Object[] {value}), 0, text);
            return reader.json(new JsonCursor(text.message()));
        }
        writer.plain(new GenericInternalRow(new Object[] {value}), 0, text);
        return text.size == 0 ? reader.empty() : reader.text(text.bytes, 0, text.size);
    }
}
