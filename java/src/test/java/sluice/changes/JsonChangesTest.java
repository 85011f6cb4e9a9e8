package sluice.changes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.Described;
import sluice.decode.Decoder;
import sluice.flink.FlinkEncoder;

/** Changes of databases as JSON: what each message does to a table, and what is wrong with bad ones. */
class JsonChangesTest {
    private static final String OPTIONS = """
        {"ignore-parse-errors": false, "timestamp-format.standard": "SQL", "schema-include": false,
         "encode.ignore-null-fields": false, "encode.decimal-as-plain-number": false,
         "map-null-key.mode": "FAIL", "map-null-key.literal": "null"}""";
    private static final String COLUMNS = "id Nullable(Int32); name Nullable(String); weight Nullable(Decimal(10, 3))";
    private static final String KEY = "envelope.key=[\"id\"]";

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static Decoder decoder(String format, String columns, String options) {
        boolean flink = format.contains("-");
        String given = flink ? Described.with(OPTIONS, options) : Described.settings(options);
        return copied((Decoder) Described.decoder(format, Described.columns(columns), given));
    }

    /** As Spark sends it to a task. */
    static Decoder copied(Decoder decoder) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new ObjectOutputStream(out).writeObject(decoder);
            return (Decoder) new ObjectInputStream(new ByteArrayInputStream(out.toByteArray())).readObject();
        } catch (IOException | ClassNotFoundException bad) {
            throw new IllegalStateException(bad);
        }
    }

    static String shown(Decoder decoder, byte[] message) {
        List<String> found = new ArrayList<>();
        for (Object each : ((GenericArrayData) decoder.decode(message)).array()) {
            Object[] row = ((GenericInternalRow) each).values();
            if (row[0] != null) return "error: " + row[0];
            List<String> values = new ArrayList<>();
            for (int i = 2; i < row.length; i++) values.add(shown(row[i]));
            found.add(row[1] + " " + String.join(",", values));
        }
        return String.join("; ", found);
    }

    private static String shown(Object value) {
        if (value instanceof MapData map) {
            return shown(map.keyArray()) + shown(map.valueArray());
        }
        return value instanceof ArrayData list ? Arrays.toString(list.array()) : String.valueOf(value);
    }

    private static void check(String format, String columns, String options, String message, String wanted) {
        String found = shown(decoder(format, columns, options), bytes(message));
        if (wanted != null && wanted.startsWith("error: ")) {
            assertTrue(found.startsWith("error: ") && found.contains(wanted.substring(7)), found);
        } else {
            assertEquals(wanted == null ? "" : wanted, found);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # options | message | changes, or what an error holds
        | {"before":null,"after":{"id":1,"name":"a","weight":3.140000104904175},"op":"c"} | +I 1,a,3.140
        | {"before":null,"after":{"id":1,"name":"a"},"op":"r","ts_ms":1,"source":{"x":[1,{"op":"d"}]}} | +I 1,a,null
        | {"op":"u","after":{"id":1,"name":"b"},"before":{"id":1,"name":"a"}} | -U 1,a,null; +U 1,b,null
        | {"op":"d","before":{"id":1,"name":"a","more":{}},"after":null} | -D 1,a,null
        | {"op":"t","before":null,"after":null} |
        | {"op":"m","message":{"prefix":"p","content":"eA=="}} |
        | {"op":"x","before":null,"after":null} | error: Corrupt Debezium JSON message '{"op":"x","before":null,"after":null}'. Unknown "op" value "x".
        ignore-parse-errors=true | {"op":"x","before":null,"after":null} |
        | {"before":null,"after":{"id":1}} | error: The field "op" is missing.
        | {"schema":{},"payload":{"after":{"id":1},"op":"c"}} | error: set the option schema-include
        schema-include=true | {"schema":{"op":"x"},"payload":{"after":{"id":1},"op":"c"}} | +I 1,null,null
        schema-include=true | {"payload":null} | error: The field "op" is missing.
        schema-include=true | {"after":{"id":1},"op":"c"} | error: The field "op" is missing.
        | {"after":{"id":2},"op":"u"} | error: The "before" field of UPDATE message is null, if you are using Debezium Postgres Connector, please check the Postgres table has been set REPLICA IDENTITY to FULL level.
        | {"before":null,"after":{"id":2},"op":"u"} | error: A table with a PRIMARY KEY needs no old row.
        | {"before":null,"after":null,"op":"d"} | error: The "before" field of DELETE message is null
        | {"before":null,"after":null,"op":"c"} | error: The field "after" is null or missing.
        | {"before":null,"after":[],"op":"c"} | error: expected an object
        | {"before":null,"after":{"id":"x"},"op":"c"} | error: Fail to deserialize at field: id.
        ignore-parse-errors=true | {"before":null,"after":{"id":"x","name":"a"},"op":"c"} | +I null,a,null
        | [{"after":{"id":1},"op":"c"}] | error: expected an object
        | 17 | error: expected an object
        | null | error: expected an object
        | {"id":1,"name":"a"} | error: The field "op" is missing.
        | {"after":{"id":1},"op":{}} | error: expected a text
        envelope.key=["id"] | {"before":null,"after":{"id":2,"name":"b"},"op":"u"} | +U 2,b,null
        envelope.key=["id"] | {"before":{"id":2,"name":7},"after":{"id":2,"name":"b"},"op":"u"} | +U 2,b,null
        envelope.key=["id"] | {"before":{"weight":1,"id":1,"name":"a"},"after":{"id":2,"name":"b"},"op":"u"} | -U 1,a,1.000; +U 2,b,null
        envelope.key=["id"] | {"before":{"id":2,"name":null},"after":null,"op":"d"} | -D 2,null,null
        envelope.key=["id"] | {"before":null,"after":null,"op":"d"} | error: The "before" field of DELETE message is null
        envelope.key=["id"] | {"before":null,"after":{"name":"b"},"op":"c"} | error: There is no value for column id of the PRIMARY KEY.
        envelope.key=["id"] | {"before":{"name":"b"},"after":null,"op":"d"} | error: There is no value for column id
        envelope.key=["id"], ignore-parse-errors=true | {"before":null,"after":{"name":"b"},"op":"c"} |
        envelope.strict=true | {"before":null,"after":{"id":1,"new":2},"op":"c","new":3} | error: The table has no column new.
        """)
    void debezium(String options, String message, String wanted) {
        check("debezium-json", COLUMNS, options, message, wanted);
    }

    private static final String UNAVAILABLE = "\"__debezium_unavailable_value\"";
    private static final String BASE64 = "\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"";

    /** A value that the database did not log: from the old row if that has it, else the stored one stays. */
    @Test
    void unavailableValues() {
        String columns = "id Nullable(Int32); s Nullable(String); b Nullable(Bytes); a Array(Nullable(String)); "
            + "m Map(String, Nullable(String)); n Nullable(Decimal(10, 2))";
        String after = "{\"id\":1,\"s\":" + UNAVAILABLE + ",\"b\":" + BASE64 + ",\"a\":[" + UNAVAILABLE
            + "],\"m\":{" + UNAVAILABLE + ":" + UNAVAILABLE + "},\"n\":" + UNAVAILABLE + "}";
        String message = "{\"before\":null,\"after\":" + after + ",\"op\":\"u\"}";
        String keyed = KEY + ", envelope.unchanged=true";
        check("debezium-json", columns, keyed, message, "+U [s, b, a, m, n],1,null,null,null,null,null");
        String old = "{\"id\":1,\"s\":\"kept\",\"b\":\"eA==\",\"a\":[],\"m\":{},\"n\":\"1.5\"}";
        String both = message.replace("\"before\":null", "\"before\":" + old);
        String found = shown(decoder("debezium-json", columns, keyed), bytes(both));
        assertTrue(found.startsWith("+U null,1,kept,") && found.endsWith(",[],[][],1.50"), found);
        found = shown(decoder("debezium-json", columns, ""), bytes(both));
        assertTrue(found.startsWith("-U 1,kept,") && found.contains("; +U 1,kept,"), found);
        String partly = message.replace("\"before\":null", "\"before\":{\"id\":1}");
        check("debezium-json", columns, "", partly, "error: The value of column s is unavailable");
        check("debezium-json", columns, keyed, "{\"op\":\"d\",\"before\":" + after + "}", "-D null,1,null,null,null,null,null");
        check("debezium-json", "id Nullable(Int32); s Nullable(String)", keyed,
            "{\"op\":\"c\",\"after\":{\"id\":1,\"s\":\"__debezium_unavailable_values\"}}", "+I null,1,__debezium_unavailable_values");
    }

    /** FL-91, FL-93, FL-94: several rows, partial old ones, and what is no change. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # options | message | changes, or what an error holds
        | {"data":[{"id":"1","name":"a","weight":"3.14"},{"id":"2","name":null}],"old":null,"type":"INSERT","isDdl":false} | +I 1,a,3.140; +I 2,null,null
        | {"type":"UPDATE","old":[{"name":null},{"weight":"2"}],"data":[{"id":"1","name":"b"},{"id":"2","name":"c","weight":"3"}]} | -U 1,null,null; +U 1,b,null; -U 2,c,2.000; +U 2,c,3.000
        | {"type":"DELETE","data":[{"id":"1","name":"a"},{"id":"2"}]} | -D 1,a,null; -D 2,null,null
        | {"type":"CREATE","isDdl":true,"data":null,"sql":"CREATE TABLE t (id INT)"} |
        | {"type":"NEW_KIND_OF_DDL","isDdl":true,"data":null} |
        | {"type":"TRUNCATE","data":null} |
        | {"type":"UNKNOWN_TYPE","data":[]} | error: Corrupt Canal JSON message '{"type":"UNKNOWN_TYPE","data":[]}'. Unknown "type" value "UNKNOWN_TYPE".
        ignore-parse-errors=true | {"type":"UNKNOWN_TYPE","data":[]} |
        | {"type":"INSERT","data":[]} |
        | {"type":"INSERT","data":null} | error: The field "data" is null or missing.
        | {"type":"INSERT","data":{"id":1}} | error: expected a list
        | {"type":"INSERT","data":[null]} | error: expected an object
        | {"type":"UPDATE","data":[{"id":"1"}],"old":null} | error: The "old" field of UPDATE message is null.
        | {"type":"UPDATE","data":[{"id":"1"},{"id":"2"}],"old":[{}]} | error: There are 2 rows in "data" and 1 in "old".
        | {"data":[{"id":"1"}]} | error: The field "type" is missing.
        table.include="p.*s" | {"type":"INSERT","table":"products","data":[{"id":"1"}]} | +I 1,null,null
        table.include="p.*s" | {"type":"INSERT","table":"products2","data":[{"id":"another shape"}]} |
        table.include="p", database.include="d" | {"database":"d","table":"p","type":"INSERT","data":[{"id":"1"}]} | +I 1,null,null
        table.include="p", database.include="d" | {"database":"e","table":"p","type":"INSERT","data":[{"id":"1"}]} |
        table.include="p" | {"type":"INSERT","data":[{"id":"1"}]} | error: The message does not tell its database and table.
        envelope.key=["id"] | {"type":"UPDATE","old":[{"name":null},{"id":"7"}],"data":[{"id":"1","name":"b"},{"id":"2","name":"c","weight":"3"}]} | +U 1,b,null; -U 7,c,3.000; +U 2,c,3.000
        envelope.key=["id"] | {"type":"UPDATE","old":null,"data":[{"id":"1","name":"b"}]} | +U 1,b,null
        """)
    void canal(String options, String message, String wanted) {
        check("canal-json", COLUMNS, options, message, wanted);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # format | options | message | changes, or what an error holds
        maxwell-json | | {"type":"insert","data":{"id":1,"name":"a"}} | +I 1,a,null
        maxwell-json | | {"type":"bootstrap-insert","data":{"id":1,"name":"a"}} | +I 1,a,null
        maxwell-json | | {"type":"update","data":{"id":1,"name":"b","weight":2},"old":{"name":null}} | -U 1,null,2.000; +U 1,b,2.000
        maxwell-json | envelope.key=["id"] | {"type":"update","data":{"id":1,"name":"b"},"old":{"name":"a"}} | +U 1,b,null
        maxwell-json | envelope.key=["id"] | {"type":"update","data":{"id":1,"name":"b"},"old":{"id":5}} | -U 5,b,null; +U 1,b,null
        maxwell-json | | {"type":"delete","data":{"id":1,"name":"a"}} | -D 1,a,null
        maxwell-json | | {"type":"table-alter","sql":"ALTER TABLE t"} |
        maxwell-json | | {"type":"bootstrap-start","data":{}} |
        maxwell-json | | {"type":"what","data":{}} | error: Corrupt Maxwell JSON message '{"type":"what","data":{}}'. Unknown "type" value "what".
        maxwell-json | | {"type":"insert","data":[{"id":1}]} | error: expected an object
        ogg-json | | {"op_type":"I","after":{"id":1,"name":"a"}} | +I 1,a,null
        ogg-json | | {"after":{"id":1,"name":"b"},"before":{"id":1,"name":"a"},"op_type":"U"} | -U 1,a,null; +U 1,b,null
        ogg-json | | {"before":{"id":1,"name":"a"},"op_type":"D"} | -D 1,a,null
        ogg-json | | {"op_type":"T","table":"t"} |
        ogg-json | | {"after":{"id":1},"op_type":"U"} | error: if you are using Ogg Postgres Connector
        ogg-json | | {"after":{"id":1},"op_type":"?"} | error: Corrupt Ogg JSON message '{"after":{"id":1},"op_type":"?"}'. Unknown "op_type" value "?".
        DebeziumJSON | | {"before":null,"after":{"id":1,"name":"a"},"op":"c"} | +I 1,a,null
        DebeziumJSON | | {"schema":{},"payload":{"before":{"id":1},"after":{"id":1,"name":"a"},"op":"u"}} | -U 1,null,null; +U 1,a,null
        CanalJSON | | {"type":"UPDATE","old":[{"name":"x"}],"data":[{"id":"1","name":"b"}]} | -U 1,x,null; +U 1,b,null
        MaxwellJSON | | {"type":"delete","data":{"id":1,"name":"a"}} | -D 1,a,null
        OggJSON | | {"op_type":"I","after":{"id":1,"name":"a"}} | +I 1,a,null
        OggJSON | | {"op_type":"I","after":{"id":"x"}} | error: (while reading the value of key id)
        """)
    void others(String format, String options, String message, String wanted) {
        check(format, COLUMNS, options, message, wanted);
    }

    /** ClickHouse's rules for values: a column that is not there has its default. */
    @Test
    void defaultsOfClickHouse() {
        check("DebeziumJSON", "id Int64; s String", "", "{\"op\":\"c\",\"after\":{\"id\":\"3\"}}", "+I 3,");
        for (String row : List.of("{\"id\":null}", "{}")) {
            check("DebeziumJSON", "id Int64", KEY, "{\"op\":\"c\",\"after\":" + row + "}",
                "error: There is no value for column id of the PRIMARY KEY.");
        }
        check("DebeziumJSON", "id Int64", "", "{\"op\":\"c\",\"after\":{\"id\":null}}", "+I 0");
        check("DebeziumJSON", "id Int64", "input_format_skip_unknown_fields=false",
            "{\"op\":\"c\",\"after\":{\"id\":1,\"x\":2}}", "error: The table has no column x.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"before\":{\"id\":1,\"name\":\"a\"},\"after\":{\"id\":1,\"name\":\"ü\\n\"},\"source\":{},\"op\":\"u\"}"})
    void everyBeginningOfAMessageIsBad(String message) {
        byte[] whole = bytes(message);
        for (String options : List.of("", KEY)) {
            Decoder decoder = decoder("debezium-json", COLUMNS, options);
            for (int length = 1; length < whole.length; length++) {
                String found = shown(decoder, Arrays.copyOf(whole, length));
                assertTrue(found.startsWith("error: Corrupt Debezium JSON message"), length + ": " + found);
            }
            assertEquals("", shown(decoder, new byte[0])); // a tombstone
        }
    }

    private static String metadata(String keys) {
        return "envelope.metadata=[\"" + keys.replace(" ", "\",\"") + "\"]";
    }

    @Test
    void metadataOfDebezium() {
        String columns = "id Nullable(Int32); a Nullable(String); b Nullable(DateTime64(3)); c Nullable(DateTime64(3)); "
            + "d Nullable(String); e Nullable(String); f Nullable(String); g Map(String, Nullable(String))";
        String keys = metadata("schema ingestion-timestamp source.timestamp source.database source.schema source.table "
            + "source.properties");
        String payload = "{\"op\":\"c\",\"after\":{\"id\":1},\"ts_ms\":1589355606100,\"source\":{\"ts_ms\":0,"
            + "\"db\":\"inventory\",\"table\":\"products\",\"gtid\":null,\"pos\":154}}";
        String source = "0,inventory,null,products,[ts_ms, db, table, gtid, pos][0, inventory, products, null, 154]";
        check("debezium-json", columns, keys, payload, "+I 1,null,1589355606100000," + source);
        check("debezium-json", columns, keys + ", schema-include=true", "{\"schema\":{\"type\": \"struct\"},\"payload\":" + payload + "}",
            "+I 1,{\"type\":\"struct\"},1589355606100000," + source);
        check("debezium-json", columns, keys, "{\"op\":\"d\",\"before\":{\"id\":1},\"source\":null}",
            "-D 1,null,null,null,null,null,null,null");
        check("debezium-json", columns, keys, "{\"op\":\"d\",\"before\":{\"id\":1},\"ts_ms\":\"x\"}", "error: Cannot parse 'x'");
    }

    @Test
    void metadataOfTheOthers() {
        check("canal-json", "id Nullable(Int32); a Nullable(String); b Nullable(String); c Map(String, Nullable(Int32)); "
                + "d Array(Nullable(String)); e Nullable(DateTime64(3)); f Nullable(DateTime64(3))",
            metadata("database table sql-type pk-names ingestion-timestamp event-timestamp") + ", table.include=\"products2\"",
            "{\"data\":[{\"id\":\"101\"}],\"database\":\"inventory\",\"es\":1589373515000,\"pkNames\":[\"id\"],"
                + "\"sqlType\":{\"id\":4,\"name\":12},\"table\":\"products2\",\"ts\":1589373515477,\"type\":\"INSERT\"}",
            "+I 101,inventory,products2,[id, name][4, 12],[id],1589373515477000,1589373515000000");
        check("maxwell-json", "id Nullable(Int32); a Nullable(String); b Nullable(String); c Array(Nullable(String)); "
                + "d Nullable(DateTime64(3))",
            metadata("database table primary-key-columns ingestion-timestamp"),
            "{\"database\":\"test\",\"table\":\"product\",\"type\":\"insert\",\"ts\":1596684883,"
                + "\"data\":{\"id\":1},\"primary_key_columns\":[\"id\"]}",
            "+I 1,test,product,[id],1596684883000000");
        check("ogg-json", "id Nullable(Int32); a Nullable(String); b Array(Nullable(String)); c Nullable(DateTime64(6)); "
                + "d Nullable(DateTime64(6))",
            metadata("table primary-keys ingestion-timestamp event-timestamp"),
            "{\"table\":\"OGG.T\",\"op_type\":\"I\",\"op_ts\":\"2020-05-13 15:40:06.000000\",\"primary_keys\":[\"id\"],"
                + "\"current_ts\":\"2020-05-13T15:40:07.123456\",\"after\":{\"id\":1}}",
            "+I 1,OGG.T,[id],1589384407123456,1589384406000000");
    }

    /** FL-96: an update is written as a delete and an insert. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # format | options | kind | message
        debezium-json | | +I | {"before":null,"after":{"id":1,"s":null},"op":"c"}
        debezium-json | | +U | {"before":null,"after":{"id":1,"s":null},"op":"c"}
        debezium-json | | -U | {"before":{"id":1,"s":null},"after":null,"op":"d"}
        debezium-json | | -D | {"before":{"id":1,"s":null},"after":null,"op":"d"}
        debezium-json | encode.ignore-null-fields=true | -D | {"before":{"id":1},"op":"d"}
        debezium-json | encode.ignore-null-fields=true | +I | {"after":{"id":1},"op":"c"}
        canal-json | | +I | {"data":[{"id":1,"s":null}],"type":"INSERT"}
        canal-json | | +U | {"data":[{"id":1,"s":null}],"type":"INSERT"}
        canal-json | | -U | {"data":[{"id":1,"s":null}],"type":"DELETE"}
        canal-json | | -D | {"data":[{"id":1,"s":null}],"type":"DELETE"}
        maxwell-json | | +U | {"data":{"id":1,"s":null},"type":"insert"}
        maxwell-json | | -U | {"data":{"id":1,"s":null},"type":"delete"}
        ogg-json | | +U | {"before":null,"after":{"id":1,"s":null},"op_type":"I"}
        ogg-json | | -U | {"before":{"id":1,"s":null},"after":null,"op_type":"D"}
        ogg-json | | | {"before":null,"after":{"id":1,"s":null},"op_type":"I"}
        """)
    void written(String format, String options, String kind, String wanted) {
        String columns = "id Nullable(Int32); s Nullable(String)";
        FlinkEncoder encoder = (FlinkEncoder) Described.encoder(format, Described.columns(columns),
            Described.with(OPTIONS, options));
        Object[] row = kind == null ? new Object[] {1, null} : new Object[] {1, null, UTF8String.fromString(kind)};
        byte[] message = encoder.row(new GenericInternalRow(row));
        assertEquals(wanted, new String(message, StandardCharsets.UTF_8));
        String back = wanted.contains("\"d") && wanted.contains("delete") || wanted.contains("DELETE")
            || wanted.contains("\"d\"") || wanted.contains("\"D\"") ? "-D 1,null" : "+I 1,null";
        assertEquals(back, shown(decoder(format, columns, ""), message));
    }
}
