package sluice.changes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Columns that a table of changes does not declare: which types they get, and which values fit them. */
class SchemaDriftTest {
    private static final String COLUMNS = "id Nullable(Int32)";
    private static final String DISCOVER = "envelope.evolve=true, envelope.discover=true";

    private static String shown(String format, String columns, String options, String message) {
        return JsonChangesTest.shown(JsonChangesTest.decoder(format, columns, options),
            message.getBytes(StandardCharsets.UTF_8));
    }

    /** A message of Debezium whose schema declares the column x. */
    private static String debezium(String schema, String value) {
        String field = schema.replace('\'', '"');
        return "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"struct\",\"field\":\"after\",\"fields\":["
            + "{\"type\":\"int32\",\"field\":\"id\"},{" + field + ",\"field\":\"x\"}]}]},"
            + "\"payload\":{\"op\":\"c\",\"before\":null,\"after\":{\"id\":1,\"x\":" + value + "}}}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # value | what is discovered
        5 | [INT64 x]
        -5 | [INT64 x]
        9223372036854775807 | [INT64 x]
        9223372036854775808 | [STRING x]
        1.5 | [FLOAT64 x]
        1e3 | [FLOAT64 x]
        true | [BOOLEAN x]
        "a" | [STRING x]
        {"a":[1]} | [STRING x]
        [] | [STRING x]
        null | null
        "__debezium_unavailable_value" | null
        """)
    void typesOfValues(String value, String wanted) {
        String message = "{\"op\":\"c\",\"before\":null,\"after\":{\"x\":" + value + ",\"id\":1}}";
        assertEquals("+I " + wanted + ",1", shown("debezium-json", COLUMNS, DISCOVER, message));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # schema of the column | value | what is discovered
        'type':'int8' | 5 | INT8
        'type':'int16' | 5 | INT16
        'type':'int32' | 5 | INT32
        'type':'int64' | 5 | INT64
        'type':'float' | 5 | FLOAT32
        'type':'double' | 5 | FLOAT64
        'type':'boolean' | true | BOOLEAN
        'type':'string' | "5" | STRING
        'type':'bytes' | "AQ==" | BYTES
        'type':'struct' | {} | STRING
        'type':'int32','name':'io.debezium.time.Date' | 5 | DATE
        'type':'int32','name':'org.apache.kafka.connect.data.Date' | 5 | DATE
        'type':'int64','name':'io.debezium.time.Timestamp' | 5 | TIMESTAMP
        'type':'int64','name':'io.debezium.time.MicroTimestamp' | 5 | TIMESTAMP
        'type':'int64','name':'io.debezium.time.NanoTimestamp' | 5 | INT64
        'type':'string','name':'io.debezium.time.ZonedTimestamp' | "2024-01-02T03:04:05Z" | ZONED
        'type':'string','name':'io.debezium.data.Json' | "{}" | STRING
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'2','connect.decimal.precision':'10'} | "AQ==" | DECIMAL(10,2)
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'2'} | "AQ==" | DECIMAL(38,2)
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'2','connect.decimal.precision':'65'} | "AQ==" | STRING
        """)
    void typesOfConnect(String schema, String value, String wanted) {
        String found = shown("debezium-json", COLUMNS, DISCOVER + ", schema-include=true", debezium(schema, value));
        assertEquals("+I [" + wanted + " x],1", found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        tinyint(1) | INT8
        tinyint(3) unsigned | INT16
        int(11) | INT32
        int(10) unsigned | INT64
        bigint | INT64
        bigint(20) unsigned | DECIMAL(20,0)
        decimal(10,2) | DECIMAL(10,2)
        decimal(65,30) | STRING
        float | FLOAT32
        double | FLOAT64
        date | DATE
        datetime(6) | TIMESTAMP
        timestamp | TIMESTAMP
        varchar(255) | STRING
        json | STRING
        geometry | STRING
        """)
    void typesOfMySql(String type, String wanted) {
        String message = "{\"data\":[{\"id\":\"1\",\"x\":\"5\"}],\"type\":\"INSERT\",\"mysqlType\":{\"x\":\"" + type + "\"}}";
        assertEquals("+I [" + wanted + " x],1", shown("canal-json", COLUMNS, DISCOVER, message));
    }

    @Test
    void otherFormats() {
        assertEquals("+I [INT64 x],1",
            shown("maxwell-json", COLUMNS, DISCOVER, "{\"data\":{\"id\":1,\"x\":5},\"type\":\"insert\"}"));
        assertEquals("+I [STRING x, BOOLEAN y],1",
            shown("ogg-json", COLUMNS, DISCOVER, "{\"after\":{\"id\":1,\"x\":\"a\",\"y\":true},\"op_type\":\"I\"}"));
        assertEquals("+I [FLOAT64 x],1",
            shown("DebeziumJSON", "id Int32", DISCOVER, "{\"after\":{\"id\":1,\"x\":0.5},\"op\":\"c\"}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # type of the column | value | what is read, or what an error holds
        Int64 | 5 | 5
        Int64 | "5" | 5
        Int64 | null | null
        Int64 | 5.5 | error
        Int64 | 1e3 | error
        Int64 | "a" | error
        Int64 | true | error
        Int64 | [] | error
        Int64 | 9223372036854775808 | error
        Int32 | 2147483648 | error
        Float64 | 5 | 5.0
        Float64 | "a" | error
        Float64 | true | error
        Bool | false | false
        Bool | "a" | error
        Bool | 1 | error
        String | 5 | 5
        String | {"a": 1} | {"a":1}
        Decimal(5, 2) | 123.4 | 123.40
        Decimal(5, 2) | "123.40" | 123.40
        Decimal(5, 2) | 1.234 | error
        Decimal(5, 2) | 1234 | error
        Date | "1970-01-06" | 5
        Date | 5 | error
        """)
    void valuesFit(String type, String value, String wanted) {
        String columns = COLUMNS + "; x Nullable(" + type + ")";
        String options = "envelope.evolve=true, envelope.evolved=[\"x\"]";
        String message = "{\"op\":\"c\",\"before\":null,\"after\":{\"id\":1,\"x\":" + value + "}}";
        for (String more : new String[] {"", ", ignore-parse-errors=true"}) {
            String found = shown("debezium-json", columns, options + more, message);
            boolean bad = wanted.equals("error");
            if (bad && more.isEmpty()) assertTrue(found.startsWith("error: "), found);
            else assertEquals(bad ? "" : "+I 1," + wanted, found);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # schema of the column | type of the column | value | what is read
        'type':'int32','name':'io.debezium.time.Date' | Date | 5 | 5
        'type':'int32','name':'io.debezium.time.Date' | String | 5 | 1970-01-06
        'type':'int32','name':'io.debezium.time.Date' | Int32 | 5 | 5
        'type':'int64','name':'io.debezium.time.Timestamp' | Local | 5 | 5000
        'type':'int64','name':'io.debezium.time.MicroTimestamp' | Local | 5000 | 5000
        'type':'int64','name':'io.debezium.time.MicroTimestamp' | DateTime64(6) | -5 | -5
        'type':'string','name':'io.debezium.time.ZonedTimestamp' | DateTime64(6) | "1970-01-01T01:00:00.000005+01:00" | 5
        'type':'string','name':'io.debezium.time.ZonedTimestamp' | DateTime64(6) | "soon" | error
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'2'} | Decimal(10, 2) | "MDk=" | 123.45
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'2'} | Decimal(10, 2) | 123.45 | 123.45
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'3'} | Decimal(10, 2) | "MDk=" | error
        'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'2'} | Decimal(10, 2) | "!" | error
        """)
    void encodedValues(String schema, String type, String value, String wanted) {
        String columns = COLUMNS + "; x Nullable(" + type + ")";
        String options = "envelope.evolve=true, schema-include=true, envelope.evolved=[\"x\"]";
        String found = shown("debezium-json", columns, options, debezium(schema, value));
        if (wanted.equals("error")) assertTrue(found.startsWith("error: "), found);
        else assertEquals("+I 1," + wanted, found);
    }

    @Test
    void refusedColumns() {
        String options = "envelope.evolve=true, envelope.refused=[\"There are 1000.\",\"__x\",\"It is reserved.\"]";
        String message = "{\"op\":\"c\",\"after\":{\"id\":1,\"%s\":%s}}";
        String reserved = shown("debezium-json", COLUMNS, options, message.formatted("__x", "1"));
        assertTrue(reserved.contains("Column __x cannot be added. It is reserved."), reserved);
        String full = shown("debezium-json", COLUMNS, options, message.formatted("y", "1"));
        assertTrue(full.contains("Column y cannot be added. There are 1000."), full);
        assertEquals("+I 1", shown("debezium-json", COLUMNS, options, message.formatted("y", "null")));
    }

    @Test
    void unavailableValuesAreKept() {
        String options = "envelope.evolve=true, envelope.evolved=[\"x\"], envelope.key=[\"id\"], envelope.unchanged=true";
        String message = "{\"op\":\"u\",\"after\":{\"id\":1,\"x\":\"__debezium_unavailable_value\"}}";
        assertEquals("+U [x],1,null",
            shown("debezium-json", COLUMNS + "; x Nullable(String)", options, message));
    }
}
