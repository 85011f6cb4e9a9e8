package sluice.protobuf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.Described;
import sluice.errors.ConditionException;
import sluice.flink.FlinkDecoder;
import sluice.values.Settings;

/** Protobuf on the wire: bad messages, schemas, and what Java's Protobuf makes of a message for Flink. */
class ProtobufTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCHEMA = """
        syntax = "proto3"; package p;
        message M { int32 i = 1; string s = 2; repeated int64 n = 3; N m = 4; map<string, int32> e = 5; double d = 6; }
        message N { int32 x = 1; N n = 2; repeated N ns = 3; }""";
    private static final String COLUMNS = "i Int32; s String; n Array(Int64); m_x Int32; m_n_n_n_x Int32; d Float64";

    private static Settings settings(String schema, String message, String framing) {
        return settings(Map.of("format_schema", schema), "format_schema", message, framing);
    }

    private static Settings settings(Map<String, String> files, String first, String message, String framing) {
        return settings(files, first, message, framing, "");
    }

    private static Settings settings(Map<String, String> files, String first, String message, String framing, String more) {
        try {
            ObjectNode made = (ObjectNode) JSON.readTree(Described.settings(more));
            made.put("framing", framing).put("schema.file", first).put("schema.message", message)
                .set("schema.files", JSON.valueToTree(files));
            return new Settings(made.toString());
        } catch (com.fasterxml.jackson.core.JsonProcessingException never) {
            throw new IllegalStateException(never);
        }
    }

    private static ProtobufDecoder decoder(String framing) {
        return new ProtobufDecoder(Described.columns(COLUMNS), settings(SCHEMA, "M", framing));
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    /** The error of a message, or how many rows it has. */
    private static String answer(ProtobufDecoder decoder, byte[] message) {
        ArrayData rows = decoder.decode(message);
        if (rows.numElements() == 0) return "0";
        Object error = ((GenericInternalRow) rows.getStruct(0, 0)).values()[0];
        if (error == null) return String.valueOf(rows.numElements());
        assertEquals(1, rows.numElements(), "one error for a message");
        return error.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "08, the message ends within a field",
        "0d 01000000, the field i (int32) has the wire type 5",
        "10 01, the field s (string) has the wire type 0",
        "12 ffffff7f, a field of 268435455 bytes where 0 are left",
        "12 ffffffff0f 41, a field of 4294967295 bytes where 1 are left",
        "12 ffffffffffffffffff01 41, a field of 18446744073709551615 bytes where 1 are left",
        "08 ffffffffffffffffffff01, a number of more than ten bytes",
        "08 ffffffffffffffffff02, a number of more than ten bytes",
        "00 01, a field with the number 0",
        "ffffffffff01 01, a field with the number",
        "0e 01, the wire type 6",
        "7f 01, a field with the wire type 7",
        "7c, the end of a group that has not begun",
        "7b 08 01, the message ends within a field",
        "22 03 08 01, a field of 3 bytes where 2 are left",
        "31 00 00, the message ends within a field",
        "22 02 0c 00, the end of a group that has not begun",
    })
    void whatIsWrongIsOneError(String message, String reason) {
        String found = answer(decoder("single"), hex(message));
        assertTrue(found.contains(reason) || found.contains("wire type"), found);
    }

    @Test
    void unknownFieldsOfEveryKindAreSkipped() {
        byte[] known = hex("78 05 79 0102030405060708 7a 03 ffffff 7d 01020304 7b 78 01 7b 7c 7c 08 07");
        InternalRow row = decoder("single").decode(known).getStruct(0, 7);
        assertNull(((GenericInternalRow) row).values()[0]);
        assertEquals(7, row.getInt(1));
    }

    @Test
    void groupsAndMessagesAreNotReadWithoutLimit() {
        byte[] groups = new byte[1 << 20];
        Arrays.fill(groups, (byte) 0x7b);
        assertTrue(answer(decoder("single"), groups).contains("more than 100 messages within each other"));
        byte[] nested = {};
        for (int i = 0; i < 200; i++) { // messages that no column is in are skipped as they are
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(0x12);
            int length = nested.length;
            for (; length > 127; length >>>= 7) out.write(length & 127 | 128);
            out.write(length);
            out.writeBytes(nested);
            nested = out.toByteArray();
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(0x22);
        int length = nested.length;
        for (; length > 127; length >>>= 7) whole.write(length & 127 | 128);
        whole.write(length);
        whole.writeBytes(nested);
        assertEquals("1", answer(decoder("single"), whole.toByteArray()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"delimited", "single", "list"})
    void anyBytesAreRowsOrOneError(String framing) {
        ProtobufDecoder decoder = decoder(framing);
        byte[] good = hex("08 07 12 02 4142 1a 03 010203 22 08 0801 1204 1202 0805 2a 05 0a 01 61 10 01 31 000000000000f83f");
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = i < good.length ? Arrays.copyOf(good, i) : good.clone();
            for (int k = 0; i >= good.length && k <= i % 4; k++) changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            answer(decoder, changed);
        }
    }

    @Test
    void badRecordsAreSkippedWhereTheSettingsAllowIt() {
        byte[] message = hex("02 0801 02 1001 02 0803");
        String said = answer(decoder("delimited"), message);
        assertTrue(said.contains("the field s"), said);
        Settings allowing = settings(Map.of("f", SCHEMA), "f", "M", "delimited", "input_format_allow_errors_num=1");
        assertEquals("2", answer(new ProtobufDecoder(Described.columns(COLUMNS), allowing), message));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "message M { int32 a = 1 }|2|expected",
        "syntax = \"proto3\";~message M {~  Foo a = 1;~}|3|\"Foo\" is not defined",
        "message M {~ int32 a = 1;~ int32 b = 1; }|4|Field number 1 has already been used",
        "message M {~ int32 a = 1;~ int32 a = 2; }|4|\"a\" is already defined in \"p.M\"",
        "message M { int32 a = 0; }|2|a field cannot have the number 0",
        "message M { int32 a = 19500; }|2|a field cannot have the number 19500",
        "message M { map<float, int32> a = 1; }|2|a map cannot have keys of the type float",
        "import \"gone.proto\";~message M { int32 a = 1; }|2|the imported file gone.proto does not exist",
        "enum A { X = 0; } enum B { X = 0; } message M { int32 a = 1; }|2|is already defined",
        "message O { int32 a = 1; }|1|Could not find a message named 'M'",
    })
    void errorsOfSchemasHaveAPlace(String schema, int line, String reason) {
        String whole = (schema.startsWith("syntax") ? schema : "syntax = \"proto3\"; package p;~" + schema).replace('~', '\n');
        ConditionException bad = assertThrows(ConditionException.class, () -> new ProtobufDecoder(
            Described.columns("a Int32"), settings(Map.of("f.proto", whole), "f.proto", "M", "single")));
        assertEquals("CANNOT_PARSE_PROTOBUF_SCHEMA", bad.condition());
        assertTrue(bad.getMessage().contains("f.proto") && bad.getMessage().contains(reason.replace("\"", "\\\"")), bad.getMessage());
        assertTrue(bad.getMessage().contains("\"line\":" + line), bad.getMessage());
    }

    @Test
    void filesImportEachOtherInOneDirection() {
        Map<String, String> files = Map.of(
            "a.proto", "syntax = \"proto3\"; package a.x; import \"d/b.proto\"; import \"google/protobuf/timestamp.proto\"; "
                + "message M { b.B b = 1; .b.B.C c = 2; google.protobuf.Timestamp t = 3; }",
            "d/b.proto", "edition = \"2023\"; package b; message B { message C { int32 i = 1 [features.field_presence = IMPLICIT]; }"
                + " C c = 1; repeated int32 n = 2; }");
        Proto.Message found = new ProtoFiles(files, "a.proto").find("M");
        assertEquals("b.B", found.fields.get(0).message.name);
        assertEquals("b.B.C", found.fields.get(1).message.name);
        assertEquals("seconds", found.fields.get(2).message.fields.get(0).name);
        assertTrue(found.fields.get(0).message.fields.get(1).packed);
        assertTrue(!found.fields.get(1).message.fields.get(0).presence && found.fields.get(0).presence);
        Map<String, String> cycle = Map.of("a.proto", "import \"b.proto\"; message A {}", "b.proto", "\nimport \"a.proto\"; message B {}");
        ConditionException bad = assertThrows(ConditionException.class, () -> new ProtoFiles(cycle, "a.proto"));
        assertTrue(bad.getMessage().contains("File recursively imports itself: a.proto -> b.proto -> a.proto"), bad.getMessage());
        assertTrue(bad.getMessage().contains("\"file\":\"b.proto\"") && bad.getMessage().contains("\"line\":2"), bad.getMessage());
    }

    @Test
    void groupsAreMessagesWithWhateverMessagesHave() {
        String text = "message M { // group G = 1 { }\n  optional group G = 1 [deprecated = true, json_name = \"}]\"] { /* { */\n"
            + "    enum E { A = 0; }\n    optional E e = 1; oneof o { group H = 2 { map<string, E> m = 1; } string s = 3; }\n  }\n"
            + "  repeated group /* { */ Rest = 2 { optional G.H h = 1; }\n  optional string group = 3;\n}";
        ProtoFiles files = new ProtoFiles(Map.of("f", text), "f");
        Proto.Message found = files.find("M");
        assertEquals("M.Rest", files.at(new int[] {0, 1}).name); // they are among the positions of messages
        assertEquals("[g, rest, group]", found.fieldNames().toString());
        Proto.Field g = found.fields.get(0), rest = found.fields.get(1);
        assertEquals(FieldType.GROUP, g.type);
        assertEquals("[e, h, s]", g.message.fieldNames().toString());
        assertTrue(g.presence && rest.repeated && !g.repeated);
        assertEquals("o", g.message.fields.get(1).oneof);
        assertEquals("M.G.H", rest.message.fields.get(0).message.name);
        assertEquals(FieldType.MESSAGE, rest.message.fields.get(0).type);
        ConditionException bad = assertThrows(ConditionException.class,
            () -> new ProtoFiles(Map.of("f", text.replace("enum E", "enum\n E").replace("G.H h", "G.X h")), "f"));
        assertTrue(bad.getMessage().contains("\"line\":7") && bad.getMessage().contains("G.X"), bad.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"group G = 1 {", "group /*", "/*", "\\\"", "group G = 1 [", "}", "{", "oneof o {"})
    void groupsOfALongTextTakeNoLongTime(String part) {
        String text = "message M { group A = 1 { } " + part.repeat(200_000);
        assertTimeout(Duration.ofSeconds(5), () -> assertNotNull(Groups.asMessages(text)));
    }

    @Test
    void aSchemaThatIsTooDeepIsAnError() {
        String deep = "message M {".repeat(100_000) + "}".repeat(100_000);
        ConditionException bad = assertThrows(ConditionException.class, () -> new ProtoFiles(Map.of("f", deep), "f"));
        assertTrue(bad.getMessage().contains("too many things within each other"), bad.getMessage());
    }

    @Test
    void decodersAndEncodersGoToExecutors() throws Exception {
        String columns = Described.columns("i Int32; n Array(Int64)");
        Settings given = settings(SCHEMA, "M", "delimited");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(new ProtobufDecoder(columns, given));
            objects.writeObject(new ProtobufEncoder(columns, given));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray()))) {
            byte[] message = hex("04 0807 1a00");
            assertEquals("1", answer((ProtobufDecoder) in.readObject(), message));
            Object[] row = {7, new GenericArrayData(new Object[] {1L, 300L})};
            byte[] written = ((ProtobufEncoder) in.readObject()).encode(new GenericArrayData(new Object[] {new GenericInternalRow(row)}));
            assertArrayEquals(hex("07 0807 1a03 01ac02"), written);
        }
    }

    @Test
    void stSeveralRowsHaveNoPlaceInOneRecord() {
        ProtobufEncoder encoder = new ProtobufEncoder(Described.columns("i Int32"), settings(SCHEMA, "M", "single"));
        Object row = new GenericInternalRow(new Object[] {1});
        assertArrayEquals(hex("0801"), encoder.encode(new GenericArrayData(new Object[] {row})));
        ConditionException bad = assertThrows(ConditionException.class,
            () -> encoder.encode(new GenericArrayData(new Object[] {row, row}))); // ST-14
        assertEquals("NO_ROW_DELIMITER", bad.condition());
    }

    private static final String FLINK_COLUMNS = "a Nullable(Int32); b Nullable(Int64); c Nullable(Bool); d Nullable(Float32); "
        + "e Nullable(Float64); f Nullable(String); g Nullable(Bytes); h Nullable(String); i Nullable(Int32); l Nullable(Array(Nullable(Int32)))";
    private static final String FLINK_FIELDS = " int32 a = 1; %s int64 b = 2; %s bool c = 3; %s float d = 4; %s double e = 5; "
        + "%s string f = 6; %s bytes g = 7; %s E h = 8; %s E i = 9; repeated int32 l = 10; enum E { X = 0; Y = 3; } }";

    private static FlinkDecoder flink(String version, boolean defaults, boolean lenient) {
        String label = version.equals("proto2") ? "optional" : "";
        String schema = "syntax = \"" + version + "\"; message M { " + label + FLINK_FIELDS.replace("%s", label);
        ObjectNode given = JSON.createObjectNode().put("read-default-values", defaults).put("ignore-parse-errors", lenient)
            .put("schema.file", "f").put("schema.message", "Outer.M");
        given.set("schema.files", JSON.valueToTree(Map.of("f", schema)));
        return new FlinkProtobuf.Read(Described.columns(FLINK_COLUMNS), new Settings(given.toString()));
    }

    private static String shown(FlinkDecoder decoder, String message) {
        InternalRow row = decoder.row(hex(message));
        if (row == null) return "none";
        Object[] values = ((GenericInternalRow) row).values();
        if (values[0] != null) return "error: " + values[0];
        if (values[7] != null) values[7] = HexFormat.of().formatHex((byte[]) values[7]);
        if (values[10] != null) values[10] = Arrays.toString(((GenericArrayData) values[10]).array());
        return Arrays.toString(Arrays.copyOfRange(values, 1, values.length));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "proto2|false||[null, null, null, null, null, null, null, null, null, null]",
        "proto2|true||[0, 0, false, 0.0, 0.0, , , X, 0, []]",
        "proto3|false||[0, 0, false, 0.0, 0.0, , , X, 0, null]",
        "proto3|true||[0, 0, false, 0.0, 0.0, , , X, 0, []]",
        "proto2|false|08ffffffff0f 10ffffffffffffffffff01 1805 250000c03f 29000000000000f83f 32026162 3a01ff 4003 4803 500152020203"
            + "|[-1, -1, true, 1.5, 1.5, ab, ff, Y, 3, [1, 2, 3]]",
        "proto3|false|320241ff|error: Failed to deserialize PB object. Protocol message had invalid UTF-8.",
        "proto3|false|4009|[0, 0, false, 0.0, 0.0, , , UNRECOGNIZED, 0, null]",
        "proto3|false|0a0141|[0, 0, false, 0.0, 0.0, , , X, 0, null]",
        "proto3|false|0801 0802|[2, 0, false, 0.0, 0.0, , , X, 0, null]",
    })
    void flinkReadsWhatJavasProtobufReads(String version, boolean defaults, String message, String expected) {
        assertEquals(expected, shown(flink(version, defaults, false), message == null ? "" : message));
    }

    @Test
    void flinkSkipsWhatIsWrongIfErrorsAreIgnored() {
        assertEquals("none", shown(flink("proto3", false, true), "08"));
        assertTrue(shown(flink("proto3", false, false), "08").startsWith("error: Failed to deserialize PB object."));
    }

    @Test
    void flinkWritesWhatIsNotNull() {
        String schema = "syntax = \"proto3\"; message M { int32 a = 1; optional int32 b = 2; repeated string c = 3; map<string, string> d = 4; "
            + "N n = 5; E e = 6; repeated sint32 p = 7; uint32 u = 8; } message N { int32 x = 1; } enum E { X = 0; Y = 3; }";
        ObjectNode given = JSON.createObjectNode().put("write-null-string-literal", "null").put("schema.file", "f").put("schema.message", "M");
        given.set("schema.files", JSON.valueToTree(Map.of("f", schema)));
        var encoder = new FlinkProtobuf.Write(Described.columns("e Nullable(String); a Nullable(Int32); b Nullable(Int32); "
            + "c Nullable(Array(Nullable(String))); p Nullable(Array(Nullable(Int32))); u Nullable(Int32)"), new Settings(given.toString()));
        Object[] row = {UTF8String.fromString("Y"), 0, 0,
            new GenericArrayData(new Object[] {UTF8String.fromString("a"), null}), new GenericArrayData(new Object[] {-1, null}), -1};
        assertArrayEquals(hex("1000 1a0161 1a046e756c6c 3003 3a020100 40ffffffff0f"), encoder.row(new GenericInternalRow(row)));
        Object[] none = new Object[6];
        assertArrayEquals(new byte[0], encoder.row(new GenericInternalRow(none)));
        none[0] = UTF8String.fromString("none of them");
        assertArrayEquals(new byte[0], encoder.row(new GenericInternalRow(none)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "x Nullable(Int32)|Column x does not exist in definition of proto class.",
        "A Nullable(Int32)|Column A does not exist in definition of proto class.",
        "a Nullable(Int64)|Protobuf field type does not match column type, INT(protobuf) is not compatible with Int64 (column a)",
        "l Nullable(Int32)|Unexpected LogicalType: Int32. It should be ArrayType",
        "f Nullable(Bytes)|STRING(protobuf) is not compatible with Bytes",
    })
    void flinkRefusesColumnsOfOtherTypes(String columns, String problem) {
        ObjectNode given = JSON.createObjectNode().put("schema.file", "f").put("schema.message", "M");
        given.set("schema.files", JSON.valueToTree(Map.of("f", "syntax = \"proto3\"; message M { " + FLINK_FIELDS.replace("%s", ""))));
        ConditionException bad = assertThrows(ConditionException.class,
            () -> new FlinkProtobuf.Read(Described.columns(columns), new Settings(given.toString())));
        assertTrue(bad.getMessage().contains(problem), bad.getMessage());
    }

    @Test
    void descriptorsAreTextsToo() {
        String text = DescriptorText.of("not Base64 but a text { }");
        assertEquals("not Base64 but a text { }", text);
        String proto2 = DescriptorText.of("CgdkLnByb3RvEgFkIpkCCgFNEhAKAWkYASABKAU6Ai01UgFpEhkKAW0YAiADKAsyCy5kLk0uTUVudHJ5UgFtEg4KAXMYAyABKAlI"
            + "AFIBcxIUCgFuGAQgASgLMgQuZC5NSABSAW4SFAoBZxgFIAEoCjIGLmQuTS5HUgFnEhEKAXEYBiACKAk6A2EiYlIBcRo8CgZNRW50"
            + "cnkSEAoDa2V5GAEgASgJUgNrZXkSHAoFdmFsdWUYAiABKA4yBi5kLk0uRVIFdmFsdWU6AjgBGhUKAUcSEAoBeBgBIAMoEUICEAFS"
            + "AXgaGwoBSRIWCgJpcxgBIAMoCzIGLmQuTS5JUgJpcyIaCgFFEgUKAVgQABIOCgFZEP3//////////wEqBQhkEMkBQgMKAW8=");
        Proto.Message found = new ProtoFiles(Map.of("f", proto2), "f").at(new int[] {0});
        assertEquals("d.M [i, m, g, q, s, n]", found.name + " " + found.fieldNames());
        Proto.Field i = found.fields.get(0), m = found.fields.get(1), g = found.fields.get(2), q = found.fields.get(3);
        assertEquals("-5", i.given);
        assertTrue(m.message.isMapEntry && m.repeated && m.message.fields.get(1).choices.numbers.get("Y") == -3);
        assertTrue(g.type == FieldType.GROUP && g.message.fields.get(0).packed && g.message.fields.get(0).type == FieldType.SINT32);
        assertTrue(q.required && q.given.equals("a\"b") && found.fields.get(4).oneof.equals("o"));
        assertEquals("d.M", found.fields.get(5).message.name);
        String proto3 = DescriptorText.of("CghkMy5wcm90byJNCgFNEhEKAWkYASABKAVIAVIBaYgBARIMCgFqGAIgASgFUgFqEgwKAWsYAyADKAVSAWsSDgoBcxgEIAEoCUgA"
            + "UgFzQgMKAW9CBAoCX2liBnByb3RvMw==");
        found = new ProtoFiles(Map.of("f", proto3), "f").at(new int[] {0});
        assertEquals("[i, j, k, s]", found.fieldNames().toString());
        assertTrue(found.fields.get(0).presence && !found.fields.get(1).presence && found.fields.get(2).packed);
        assertEquals(null, found.fields.get(0).oneof);
    }
}
