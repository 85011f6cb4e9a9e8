package sluice.avro;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.re2j.Pattern;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.registry.Subjects;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/** The schema that ClickHouse gives columns, and what writes rows by it. */
final class ColumnSchema {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long UINT32 = 0xFFFF_FFFFL;

    /** The schema, as JSON. */
    final String text;
    private final ColumnWriter[] columns;
    private final ValueWriters texts;
    private final Pattern asText;
    private int names; // of types so far, which make them different

    private record Made(JsonNode schema, ColumnWriter writer) {}

    ColumnSchema(String described, Settings settings) {
        texts = new ValueWriters(settings);
        asText = Pattern.compile(settings.text("output_format_avro_string_column_pattern"));
        ArrayNode fields = JSON.createArrayNode();
        List<ColumnWriter> writers = new ArrayList<>();
        for (TypeSpec.Column column : TypeSpec.columns(described)) {
            Made made = made(column.type(), column.name());
            fields.addObject().put("name", column.name()).set("type", made.schema);
            writers.add(made.writer);
        }
        ObjectNode schema = JSON.createObjectNode().put("type", "record").put("name", Subjects.ROW);
        text = schema.set("fields", fields).toString();
        columns = writers.toArray(new ColumnWriter[0]);
    }

    int columns() {
        return columns.length;
    }

    /** Write a record. */
    void write(SpecializedGetters row, Output out) {
        for (int i = 0; i < columns.length; i++) columns[i].write(row, i, out);
    }

    private static Made made(String type, ColumnWriter writer) {
        return new Made(TextNode.valueOf(type), writer);
    }

    private static Made logical(String type, String logical, ColumnWriter writer) {
        return new Made(JSON.createObjectNode().put("type", type).put("logicalType", logical), writer);
    }

    private static Made fixed(String name, int size, ColumnWriter writer) {
        return new Made(JSON.createObjectNode().put("type", "fixed").put("name", name).put("size", size), writer);
    }

    private static Made decimal(int precision, int scale, ColumnWriter writer) {
        return new Made(JSON.createObjectNode().put("type", "bytes").put("logicalType", "decimal")
            .put("precision", precision).put("scale", scale), writer);
    }

    private Made made(TypeSpec type, String name) {
        names++;
        if (!type.nullable()) return notNull(type, name);
        Made made = notNull(type, name, ++names);
        ArrayNode union = JSON.createArrayNode().add("null").add(made.schema);
        return new Made(union, (row, at, out) -> {
            boolean none = row.isNullAt(at);
            out.put(none ? 0 : 2);
            if (!none) made.writer.write(row, at, out);
        });
    }

    private Made notNull(TypeSpec type, String name) {
        return notNull(type, name, names);
    }

    private Made notNull(TypeSpec type, String name, int number) {
        switch (type.kind()) {
            case "whole": return whole(type);
            case "unsigned64":
                return made("long", (row, at, out) ->
                    ColumnWriter.number(row.getDecimal(at, 20, 0).toJavaBigDecimal().toBigInteger().longValue(), out));
            case "floating":
                return type.bits() == 32
                    ? made("float", (row, at, out) -> ColumnWriter.lowestFirst(Float.floatToRawIntBits(row.getFloat(at)), 4, out))
                    : made("double", (row, at, out) -> ColumnWriter.lowestFirst(Double.doubleToRawLongBits(row.getDouble(at)), 8, out));
            case "bool": return made("boolean", (row, at, out) -> out.put(row.getBoolean(at) ? 1 : 0));
            case "text": return made(asText.matcher(name).find() ? "string" : "bytes", ColumnSchema::text);
            case "fixed":
                return fixed("fixed_" + number, type.json().get("length").asInt(), (row, at, out) -> out.put(row.getUTF8String(at)));
            case "uuid": return logical("string", "uuid", ColumnSchema::text);
            case "choice": return choice(type, number);
            case "day": return logical("int", "date", (row, at, out) -> ColumnWriter.number(row.getInt(at), out));
            case "instant": return instant(type.precision());
            case "exact": return exact(type.precision(), type.scale());
            case "encoded": return encoded(type, number);
            case "items": return items(type, name);
            case "pairs": return pairs(type, name);
            case "parts": return parts(type, name, number);
            default: throw type.unknown();
        }
    }

    private static void text(SpecializedGetters row, int at, Output out) {
        UTF8String text = row.getUTF8String(at);
        ColumnWriter.number(text.numBytes(), out);
        out.put(text);
    }

    private static Made whole(TypeSpec type) {
        boolean large = type.json().get("low").asLong() < Integer.MIN_VALUE || type.json().get("high").asLong() > UINT32;
        switch (type.bits()) {
            case 8: return made("int", (row, at, out) -> ColumnWriter.number(row.getByte(at), out));
            case 16: return made("int", (row, at, out) -> ColumnWriter.number(row.getShort(at), out));
            case 32: return made("int", (row, at, out) -> ColumnWriter.number(row.getInt(at), out));
            default:
                return large ? made("long", (row, at, out) -> ColumnWriter.number(row.getLong(at), out))
                    : made("int", (row, at, out) -> ColumnWriter.number((int) row.getLong(at), out)); // UInt32
        }
    }

    private static Made choice(TypeSpec type, int number) {
        Map<UTF8String, Integer> places = new HashMap<>();
        ObjectNode schema = JSON.createObjectNode().put("type", "enum")
            .put("name", (type.name().startsWith("Enum16") ? "enum16" : "enum8_") + number);
        ArrayNode symbols = schema.putArray("symbols");
        for (JsonNode value : type.json().get("values")) {
            symbols.add(value.get(0));
            places.put(UTF8String.fromString(value.get(0).asText()), places.size());
        }
        return new Made(schema, (row, at, out) -> ColumnWriter.number(places.get(row.getUTF8String(at)), out));
    }

    /** Microseconds as what the precision makes of them. */
    private static Made instant(int precision) {
        if (precision < 0) {
            return made("int", (row, at, out) -> ColumnWriter.number((int) Math.floorDiv(row.getLong(at), 1_000_000L), out));
        }
        long factor = ColumnNumbers.TENS[6 - precision];
        ColumnWriter number = (row, at, out) -> ColumnWriter.number(Math.floorDiv(row.getLong(at), factor), out);
        if (precision == 3) return logical("long", "timestamp-millis", number);
        if (precision == 6) return logical("long", "timestamp-micros", number);
        return decimal(ColumnNumbers.TICKS, precision, (row, at, out) -> {
            ColumnWriter.number(8, out);
            ColumnWriter.highestFirst(Math.floorDiv(row.getLong(at), factor), 8, out);
        });
    }

    private static Made exact(int precision, int scale) {
        int width = StoredType.width(precision);
        return decimal(precision, scale, (row, at, out) -> {
            ColumnWriter.number(width, out);
            if (width <= 8) {
                ColumnWriter.highestFirst(row.getDecimal(at, precision, scale).toUnscaledLong(), width, out);
            } else {
                widened(row.getDecimal(at, precision, scale).toJavaBigDecimal().unscaledValue(), width, out);
            }
        });
    }

    private static void widened(BigInteger number, int width, Output out) {
        byte[] given = number.toByteArray();
        for (int i = given.length; i < width; i++) out.put(number.signum() < 0 ? -1 : 0);
        out.put(given);
    }

    private static Made encoded(TypeSpec type, int number) {
        StoredType stored = StoredType.of(type);
        int length = stored.length();
        switch (stored.sort()) {
            case IPV4: return made("int", (row, at, out) -> ColumnWriter.number((int) row.getLong(at), out));
            case ADDRESS: return fixed("ipv6_" + number, length, (row, at, out) -> out.put(row.getBinary(at)));
            case INSTANT: return decimal(ColumnNumbers.TICKS, stored.scale(), (row, at, out) -> {
                ColumnWriter.number(8, out);
                ColumnWriter.highestFirst(row.getLong(at), 8, out);
            });
            case DECIMAL: return decimal(stored.precision(), stored.scale(), (row, at, out) -> {
                byte[] found = row.getBinary(at).clone();
                found[0] ^= (byte) 0x80;
                ColumnWriter.bytes(found, out);
            });
            case WHOLE:
                String name = (stored.signed() ? "int" : "uint") + 8 * length + number;
                return fixed(name, length, (row, at, out) -> {
                    byte[] found = row.getBinary(at);
                    for (int i = length - 1; i > 0; i--) out.put(found[i]);
                    out.put(stored.signed() ? found[0] ^ 0x80 : found[0]);
                });
            default: throw type.unknown();
        }
    }

    private Made items(TypeSpec type, String name) {
        Made item = made(type.inner("item"), name);
        JsonNode schema = JSON.createObjectNode().put("type", "array").set("items", item.schema);
        return new Made(schema, (row, at, out) -> {
            ArrayData list = row.getArray(at);
            int count = list.numElements();
            if (count > 0) ColumnWriter.number(count, out);
            for (int i = 0; i < count; i++) item.writer.write(list, i, out);
            out.put(0);
        });
    }

    private Made pairs(TypeSpec type, String name) {
        ValueWriter key = texts.of(type.inner("key"));
        Made value = made(type.inner("value"), name + ".value");
        JsonNode schema = JSON.createObjectNode().put("type", "map").set("values", value.schema);
        return new Made(schema, (row, at, out) -> {
            MapData map = row.getMap(at);
            int count = map.numElements();
            if (count > 0) ColumnWriter.number(count, out);
            Output text = new Output(32);
            for (int i = 0; i < count; i++) {
                text.size = 0;
                key.plain(map.keyArray(), i, text);
                ColumnWriter.number(text.size, out);
                out.put(text.bytes, 0, text.size);
                value.writer.write(map.valueArray(), i, out);
            }
            out.put(0);
        });
    }

    private Made parts(TypeSpec type, String name, int number) {
        List<TypeSpec.Column> parts = type.fields();
        ColumnWriter[] writers = new ColumnWriter[parts.size()];
        ObjectNode schema = JSON.createObjectNode().put("type", "record").put("name", name + "_" + number);
        ArrayNode fields = schema.putArray("fields");
        for (int i = 0; i < writers.length; i++) {
            String field = type.isNamed() ? parts.get(i).name() : String.valueOf(i + 1);
            Made made = made(parts.get(i).type(), field);
            fields.addObject().put("name", field).set("type", made.schema);
            writers[i] = made.writer;
        }
        return new Made(schema, (row, at, out) -> {
            SpecializedGetters struct = row.getStruct(at, writers.length);
            for (int i = 0; i < writers.length; i++) writers[i].write(struct, i, out);
        });
    }
}
