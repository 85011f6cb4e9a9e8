package sluice.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReaders;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/**
 * JSONEachRow by Jackson's streaming parser and generator. Tokens are Jackson's; what a text means for
 * a type (enums, times, numbers in quotes) is read by our value readers, as nothing else knows
 * ClickHouse's rules.
 */
final class JacksonJson {
    private final JsonFactory factory = new JsonFactoryBuilder()
        .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).enable(JsonReadFeature.ALLOW_LEADING_ZEROS_FOR_NUMBERS)
        .enable(JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS)
        .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS).characterEscapes(new Slashes()).build();
    private final TableColumns table;
    private final String[] names;
    private final String[] kinds;
    private final Map<String, Integer> places = new HashMap<>();
    private final List<SerializedString> keys = new ArrayList<>();
    private final List<ValueWriter> writers = new ArrayList<>();

    JacksonJson(String columns, String settings) {
        Settings given = new Settings(settings);
        table = new TableColumns(columns, new ValueReaders(given, false));
        names = new String[table.values.length];
        kinds = new String[names.length];
        JsonNode nodes = TypeSpec.tree(columns);
        ValueWriters made = new ValueWriters(given);
        for (int n = 0; n < names.length; n++) {
            names[n] = table.names.get(n).intern(); // as Jackson's names are
            kinds[n] = nodes.get(n).get("type").get("kind").asText().intern();
            places.put(names[n], n);
            keys.add(new SerializedString(names[n]));
            writers.add(made.of(new TypeSpec(nodes.get(n).get("type"))));
        }
    }

    ArrayData decode(byte[] message) throws IOException {
        List<Object> rows = new ArrayList<>(1);
        try (JsonParser in = factory.createParser(message)) {
            while (in.nextToken() == JsonToken.START_OBJECT) {
                Object[] row = table.row();
                int column = -1;
                while (in.nextToken() != JsonToken.END_OBJECT) {
                    String name = in.currentName();
                    int next = column + 1;
                    Integer found = next < names.length && names[next] == name ? (Integer) next : places.get(name);
                    in.nextToken();
                    if (found == null) {
                        in.skipChildren();
                        continue;
                    }
                    column = found;
                    try {
                        row[column + 1] = value(in, column);
                    } catch (BadValue bad) {
                        throw table.wrong(bad, column, "key");
                    }
                }
                rows.add(new GenericInternalRow(table.filled(row)));
            }
        }
        return new GenericArrayData(rows.toArray());
    }

    private Object value(JsonParser in, int column) throws IOException {
        JsonToken token = in.currentToken();
        if (token == JsonToken.VALUE_NULL) return table.values[column].none();
        switch (kinds[column]) {
            case "text":
                if (token != JsonToken.VALUE_STRING) break;
                return UTF8String.fromString(in.getText());
            case "unsigned64":
                if (token != JsonToken.VALUE_NUMBER_INT || in.getNumberType() == JsonParser.NumberType.BIG_INTEGER) break;
                long number = in.getLongValue();
                if (number < 0) break;
                return Decimal.createUnsafe(number, 20, 0);
            case "whole":
                if (token != JsonToken.VALUE_NUMBER_INT || in.getNumberType() == JsonParser.NumberType.BIG_INTEGER) break;
                long whole = in.getLongValue();
                if (whole < 0 || whole > 0xFFFFFFFFL) break;
                return whole;
            case "items":
                List<Object> items = new ArrayList<>();
                while (in.nextToken() != JsonToken.END_ARRAY) items.add(UTF8String.fromString(in.getText()));
                return new GenericArrayData(items.toArray());
            default:
        }
        byte[] text = in.getText().getBytes(StandardCharsets.UTF_8);
        return table.values[column].text(text, 0, text.length);
    }

    byte[] encode(ArrayData rows) throws IOException {
        com.fasterxml.jackson.core.util.ByteArrayBuilder out =
            new com.fasterxml.jackson.core.util.ByteArrayBuilder(factory._getBufferRecycler());
        try (JsonGenerator to = factory.createGenerator(out)) {
            to.setRootValueSeparator(new SerializedString("\n"));
            Output text = new Output(64);
            for (int n = 0; n < rows.numElements(); n++) {
                InternalRow row = rows.getStruct(n, names.length);
                to.writeStartObject();
                for (int k = 0; k < names.length; k++) {
                    to.writeFieldName(keys.get(k));
                    if (row.isNullAt(k)) to.writeNull();
                    else write(row, k, to, text);
                }
                to.writeEndObject();
            }
            to.writeRaw('\n');
        }
        return out.toByteArray();
    }

    private void write(SpecializedGetters row, int k, JsonGenerator to, Output text) throws IOException {
        switch (kinds[k]) {
            case "choice":
            case "text": text(row.getUTF8String(k), to); return;
            case "whole": to.writeNumber(row.getLong(k)); return;
            case "items":
                to.writeStartArray();
                ArrayData items = row.getArray(k);
                for (int n = 0; n < items.numElements(); n++) text(items.getUTF8String(n), to);
                to.writeEndArray();
                return;
            default:
                text.size = 0;
                writers.get(k).plain(row, k, text);
                if (kinds[k] == "unsigned64") to.writeRawValue(new String(text.bytes, 0, text.size, StandardCharsets.ISO_8859_1));
                else to.writeRawUTF8String(text.bytes, 0, text.size);
        }
    }

    static void text(UTF8String text, JsonGenerator to) throws IOException {
        if (text.getBaseObject() instanceof byte[] bytes) {
            to.writeUTF8String(bytes, (int) (text.getBaseOffset() - org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET),
                text.numBytes());
        } else {
            to.writeString(text.toString());
        }
    }

    /** ClickHouse escapes slashes. */
    private static final class Slashes extends CharacterEscapes {
        private final int[] escapes = standardAsciiEscapesForJSON();

        Slashes() {
            escapes['/'] = '/'; // a backslash before it
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return escapes;
        }

        @Override
        public SerializableString getEscapeSequence(int c) {
            return null;
        }
    }
}
