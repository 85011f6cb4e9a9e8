package sluice.changes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import sluice.avro.AvroSchema;

/**
 * The type that a message declares for a column of its rows.
 *
 * @param type what Python makes a column of: INT32, STRING, DECIMAL(10,2), …
 * @param encoding how values are written, if that is not how the type is
 * @param scale the digits after the point of an encoded decimal
 */
record DeclaredType(String type, Encoding encoding, int scale) {
    /** How Kafka Connect and Debezium write what JSON has no values for. */
    enum Encoding { PLAIN, DAYS, MILLISECONDS, MICROSECONDS, ZONED, UNSCALED }

    static final String STRING = "STRING";
    private static final int MOST_DIGITS = 38;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DECIMAL_NAME = "org.apache.kafka.connect.data.Decimal";
    private static final String DECIMAL_PRECISION = "connect.decimal.precision";
    /** The types of Kafka Connect, and those of Avro. */
    private static final Map<String, String> PLAIN = Map.ofEntries(
        Map.entry("int8", "INT8"), Map.entry("int16", "INT16"), Map.entry("int32", "INT32"),
        Map.entry("int64", "INT64"), Map.entry("float", "FLOAT32"), Map.entry("double", "FLOAT64"),
        Map.entry("boolean", "BOOLEAN"), Map.entry("bytes", "BYTES"),
        Map.entry("int", "INT32"), Map.entry("long", "INT64"), Map.entry("fixed", "BYTES"));
    private static final Map<String, DeclaredType> LOGICAL = Map.of(
        "io.debezium.time.Date", of("DATE", Encoding.DAYS),
        "org.apache.kafka.connect.data.Date", of("DATE", Encoding.DAYS),
        "io.debezium.time.Timestamp", of("TIMESTAMP", Encoding.MILLISECONDS),
        "org.apache.kafka.connect.data.Timestamp", of("TIMESTAMP", Encoding.MILLISECONDS),
        "io.debezium.time.MicroTimestamp", of("TIMESTAMP", Encoding.MICROSECONDS),
        "io.debezium.time.ZonedTimestamp", of("ZONED", Encoding.ZONED));
    private static final Map<String, DeclaredType> AVRO = Map.of(
        "date", of("DATE", Encoding.DAYS),
        "timestamp-millis", of("ZONED", Encoding.MILLISECONDS),
        "timestamp-micros", of("ZONED", Encoding.MICROSECONDS),
        "local-timestamp-millis", of("TIMESTAMP", Encoding.MILLISECONDS),
        "local-timestamp-micros", of("TIMESTAMP", Encoding.MICROSECONDS));
    private static final Map<String, String> MYSQL = Map.ofEntries(
        Map.entry("tinyint", "INT16"), Map.entry("smallint", "INT32"), Map.entry("mediumint", "INT32"),
        Map.entry("year", "INT32"), Map.entry("int", "INT64"), Map.entry("integer", "INT64"),
        Map.entry("bigint", "DECIMAL(20,0)"), Map.entry("float", "FLOAT32"), Map.entry("double", "FLOAT64"),
        Map.entry("date", "DATE"), Map.entry("datetime", "TIMESTAMP"), Map.entry("timestamp", "TIMESTAMP"));
    private static final Map<String, String> SIGNED = Map.of("tinyint", "INT8", "smallint", "INT16", "int", "INT32",
        "integer", "INT32", "bigint", "INT64");
    private static final Pattern DECIMAL = Pattern.compile("(?:decimal|numeric)\\((\\d+)(?:, *(\\d+))?\\).*");

    private static DeclaredType of(String type, Encoding encoding) {
        return new DeclaredType(type, encoding, 0);
    }

    static DeclaredType plain(String type) {
        return of(type, Encoding.PLAIN);
    }

    /** The columns of Kafka Connect's schema of an envelope, by their names. */
    static Map<String, DeclaredType> connect(byte[] text, int from, int to) {
        Map<String, DeclaredType> found = new HashMap<>();
        for (JsonNode part : tree(text, from, to).path("fields")) {
            String name = part.path("field").asText();
            if (!name.equals("before") && !name.equals("after")) continue;
            for (JsonNode field : part.path("fields")) found.put(field.path("field").asText(), connect(field));
        }
        return found;
    }

    private static DeclaredType connect(JsonNode field) {
        String name = field.path("name").asText();
        if (name.equals(DECIMAL_NAME)) {
            JsonNode given = field.path("parameters");
            int scale = given.path("scale").asInt();
            String type = decimal(given.path(DECIMAL_PRECISION).asInt(MOST_DIGITS), scale);
            return new DeclaredType(type, Encoding.UNSCALED, scale);
        }
        DeclaredType logical = LOGICAL.get(name);
        return logical != null ? logical : plain(PLAIN.getOrDefault(field.path("type").asText(), STRING));
    }

    /**
     * The columns of the Avro schema of an envelope, by their names; it has Kafka Connect's types as properties.
     *
     * @param legacy whether {@code timestamp-millis} is a TIMESTAMP, as in Flink's older mapping, not an instant
     */
    static Map<String, DeclaredType> avro(Schema envelope, boolean legacy) {
        Map<String, DeclaredType> found = new HashMap<>();
        for (Schema.Field part : envelope.getFields()) {
            Schema row = AvroSchema.notNull(part.schema());
            boolean isRow = part.name().equals("before") || part.name().equals("after");
            if (!isRow || row.getType() != Schema.Type.RECORD) continue;
            for (Schema.Field field : row.getFields()) {
                found.put(field.name(), avroType(AvroSchema.notNull(field.schema()), legacy));
            }
        }
        return found;
    }

    private static DeclaredType avroType(Schema type, boolean legacy) {
        String name = type.getProp("connect.name");
        LogicalType logical = type.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal exact) {
            boolean open = DECIMAL_NAME.equals(name) && !(type.getObjectProp("connect.parameters")
                instanceof Map<?, ?> given && given.containsKey(DECIMAL_PRECISION)); // the converter then writes 64
            int digits = open ? MOST_DIGITS : exact.getPrecision();
            return new DeclaredType(decimal(digits, exact.getScale()), Encoding.UNSCALED, exact.getScale());
        }
        DeclaredType known = name == null ? null : LOGICAL.get(name);
        if (known != null) return known;
        known = logical == null ? null : AVRO.get(logical.getName());
        if (known != null) return legacy && known.type.equals("ZONED") ? of("TIMESTAMP", known.encoding) : known;
        String narrow = type.getProp("connect.type");
        return plain(PLAIN.getOrDefault(narrow == null ? type.getType().getName() : narrow, STRING));
    }

    /** The types of MySQL's columns, by their names: {@code {"id": "bigint(20) unsigned", …}}. */
    static Map<String, DeclaredType> mysql(byte[] text, int from, int to) {
        Map<String, DeclaredType> found = new HashMap<>();
        tree(text, from, to).fields().forEachRemaining(
            each -> found.put(each.getKey(), plain(mysql(each.getValue().asText().toLowerCase(Locale.ROOT)))));
        return found;
    }

    private static String mysql(String type) {
        Matcher decimal = DECIMAL.matcher(type);
        if (decimal.matches()) {
            String scale = decimal.group(2);
            return decimal(Integer.parseInt(decimal.group(1)), scale == null ? 0 : Integer.parseInt(scale));
        }
        String name = type.split("[( ]", 2)[0];
        String wide = MYSQL.getOrDefault(name, STRING);
        return type.contains("unsigned") ? wide : SIGNED.getOrDefault(name, wide);
    }

    /** A decimal with more digits than any column can have is its text. */
    private static String decimal(int precision, int scale) {
        boolean fits = precision <= MOST_DIGITS && scale >= 0 && scale <= precision;
        return fits ? "DECIMAL(" + precision + "," + scale + ")" : STRING;
    }

    /** A part of a message that was read as JSON before. */
    private static JsonNode tree(byte[] text, int from, int to) {
        try {
            return JSON.readTree(text, from, to - from);
        } catch (IOException bad) {
            return JSON.missingNode();
        }
    }
}
