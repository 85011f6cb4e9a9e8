package sluice.flink;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;
import sluice.values.ValueReader;
import sluice.values.TypeSpec;

/** Flink's json and csv by the library that Flink itself uses; times are read and written by ours. */
public final class JacksonFlink {
    private final JsonFactory factory = new JsonFactory();
    private final CsvFactory csv = new CsvFactory();
    private final FlinkWrite.Moment moment = new FlinkWrite.Moment(false, false);
    private final List<ValueReader> values = new ArrayList<>();
    private final List<String> kinds = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<SerializedString> keys = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    public JacksonFlink(String columns) {
        FlinkValues reads = new FlinkValues(false, false, false);
        for (JsonNode each : TypeSpec.tree(columns)) {
            String name = each.get("column").asText().intern();
            JsonNode type = each.get("type");
            String kind = type.get("kind").asText();
            places.put(name, names.size());
            names.add(name);
            keys.add(new SerializedString(name));
            kinds.add((kind.equals("whole") ? kind + type.get("bits").asInt() : kind).intern());
            values.add(reads.of(new TypeSpec(type)));
        }
    }

    public ArrayData decode(byte[] message) throws IOException {
        Object[] row = new Object[names.size() + 1];
        try (JsonParser in = factory.createParser(message)) {
            if (in.nextToken() != JsonToken.START_OBJECT) throw new IOException("no object");
            int column = -1;
            while (in.nextToken() != JsonToken.END_OBJECT) {
                String name = in.currentName();
                int next = column + 1;
                Integer found = next < names.size() && names.get(next) == name ? (Integer) next : places.get(name);
                JsonToken token = in.nextToken();
                if (found == null) {
                    in.skipChildren();
                    continue;
                }
                column = found;
                row[column + 1] = token == JsonToken.VALUE_NULL ? null : value(in, token, column);
            }
        }
        return new GenericArrayData(new Object[] {new GenericInternalRow(row)});
    }

    private Object value(JsonParser in, JsonToken token, int column) throws IOException {
        switch (kinds.get(column)) {
            case "text": return UTF8String.fromString(in.getText());
            case "whole32":
                if (token == JsonToken.VALUE_NUMBER_INT) return in.getIntValue();
                break;
            case "whole64":
                if (token == JsonToken.VALUE_NUMBER_INT) return in.getLongValue();
                break;
            case "items":
                List<Object> items = new ArrayList<>();
                while (in.nextToken() != JsonToken.END_ARRAY) items.add(UTF8String.fromString(in.getText()));
                return new GenericArrayData(items.toArray());
            default:
        }
        byte[] text = in.getText().getBytes(StandardCharsets.UTF_8);
        return values.get(column).text(text, 0, text.length);
    }

    public byte[] encode(InternalRow row) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        Output text = new Output(32);
        try (JsonGenerator to = factory.createGenerator(out)) {
            to.writeStartObject();
            for (int k = 0; k < keys.size(); k++) {
                to.writeFieldName(keys.get(k));
                if (row.isNullAt(k)) {
                    to.writeNull();
                    continue;
                }
                switch (kinds.get(k)) {
                    case "text" -> text(row.getUTF8String(k), to);
                    case "whole32" -> to.writeNumber(row.getInt(k));
                    case "whole64" -> to.writeNumber(row.getLong(k));
                    case "items" -> {
                        to.writeStartArray();
                        ArrayData items = row.getArray(k);
                        for (int n = 0; n < items.numElements(); n++) text(items.getUTF8String(n), to);
                        to.writeEndArray();
                    }
                    default -> {
                        text.size = 0;
                        moment.plain(row, k, text);
                        to.writeRawUTF8String(text.bytes, 0, text.size);
                    }
                }
            }
            to.writeEndObject();
        }
        return out.toByteArray();
    }

    /** From bytes where that gives what Flink writes: only for a String does Jackson escape surrogate pairs. */
    private static void text(UTF8String text, JsonGenerator to) throws IOException {
        if (!text.isFullAscii()) {
            to.writeString(text.toString());
            return;
        }
        int from = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
        to.writeUTF8String((byte[]) text.getBaseObject(), from, text.numBytes());
    }

    /** Fields by jackson-dataformat-csv; ours would still have to look at them for the options of Flink's format. */
    public ArrayData csv(byte[] message) throws IOException {
        Object[] row = new Object[names.size() + 1];
        try (JsonParser in = csv.createParser(message)) {
            in.nextToken();
            for (int n = 0; in.nextToken() != JsonToken.END_ARRAY; n++) row[n + 1] = field(in.getText(), n);
        }
        return new GenericArrayData(new Object[] {new GenericInternalRow(row)});
    }

    private Object field(String field, int column) {
        switch (kinds.get(column)) {
            case "text": return UTF8String.fromString(field);
            case "whole32": return Integer.parseInt(field);
            case "whole64": return Long.parseLong(field);
            case "items":
                if (field.isEmpty()) return new GenericArrayData(new Object[0]);
                List<Object> items = new ArrayList<>();
                for (String each : field.split(";", -1)) items.add(UTF8String.fromString(each));
                return new GenericArrayData(items.toArray());
            default:
                byte[] text = field.getBytes(StandardCharsets.UTF_8);
                return values.get(column).text(text, 0, text.length);
        }
    }
}
