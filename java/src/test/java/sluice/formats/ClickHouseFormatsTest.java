package sluice.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.Described;
import sluice.decode.Decoder;
import sluice.decode.SkippingDecoder;
import sluice.encode.Encoder;

/** Messages of ClickHouse's formats: ordinary ones, edges, bad ones, and round trips. */
class ClickHouseFormatsTest {
    private static final String ALL = "i Int64; n Nullable(Int32); u UInt64; f Float64; d Decimal(9, 2); b Bool; "
        + "s String; x FixedString(3); id UUID; e Enum; day Date; t DateTime; p DateTime64(3); "
        + "a Array(Nullable(Int8)); m Map(String, Int16); c Tuple(k String, v Nullable(Float32))";
    private static final String ROWS = "[-9223372036854775808,null,18446744073709551615,0.1,1.5,true,"
        + "\"q\\\"\\\\\\n\\tü,;='\",\"ab\\u0000\",\"61f0c404-5cb3-11e7-907b-a6006ad3dba0\",\"b\",\"2020-02-29\","
        + "\"2106-02-07 06:28:15\",\"1999-12-31 23:59:59.123\",[1,null,-128],{\"k\":1,\"\":-32768},[\"\",null]]\n"
        + "[9223372036854775807,-1,0,-1e-7,-9999999.99,false,\"\",\"\\u0000\\u0000\\u0000\","
        + "\"00000000-0000-0000-0000-000000000000\",\"a\",\"1970-01-01\",\"1970-01-01 00:00:00\","
        + "\"1970-01-01 00:00:00.000\",[],{},[\"z\",-0.5]]\n";

    static ArrayData decode(String format, String columns, String settings, String message) {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        return ((Decoder) Described.decoder(format, Described.columns(columns), Described.settings(settings))).decode(bytes);
    }

    /** Rows without their errors, as a JSON line each; or the error. */
    static String shown(ArrayData rows, String columns) {
        Object[] found = new Object[rows.numElements()];
        for (int i = 0; i < found.length; i++) {
            GenericInternalRow row = (GenericInternalRow) rows.getStruct(i, 0);
            if (!row.isNullAt(0)) return "error: " + row.getUTF8String(0);
            Object[] values = java.util.Arrays.copyOfRange(row.values(), 1, row.values().length);
            found[i] = new GenericInternalRow(values);
        }
        String lines = encode("JSONCompactEachRow", columns, "", new GenericArrayData(found));
        return lines.replace(", ", ",");
    }

    static String encode(String format, String columns, String settings, ArrayData rows) {
        String plain = "output_format_json_named_tuples_as_objects=false, "
            + "output_format_json_escape_forward_slashes=false";
        String given = settings.isEmpty() ? plain : plain + ", " + settings;
        var encoder = (Encoder) Described.encoder(format, Described.columns(columns), Described.settings(given));
        byte[] found = encoder.encode(rows);
        return new String(found, StandardCharsets.UTF_8);
    }

    private static ArrayData good(ArrayData rows) {
        Object[] found = new Object[rows.numElements()];
        for (int i = 0; i < found.length; i++) {
            InternalRow row = rows.getStruct(i, 0);
            assertTrue(row.isNullAt(0), () -> String.valueOf(row.getUTF8String(0)));
            Object[] values = ((GenericInternalRow) row).values();
            found[i] = new GenericInternalRow(java.util.Arrays.copyOfRange(values, 1, values.length));
        }
        return new GenericArrayData(found);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "JSONEachRow", "JSONStringsEachRow", "JSONCompactEachRow", "JSONCompactEachRowWithNamesAndTypes",
        "JSONCompactStringsEachRow", "JSONObjectEachRow", "CSV", "CSVWithNames", "CSVWithNamesAndTypes",
        "TabSeparated", "TabSeparatedWithNames", "TabSeparatedWithNamesAndTypes", "TSKV"})
    void whatIsWrittenIsReadBack(String format) {
        ArrayData rows = good(decode("JSONCompactEachRow", ALL, "", ROWS));
        assertEquals(2, rows.numElements());
        String named = "output_format_json_named_tuples_as_objects=true, " // a header c.k, c.v names no column
            + "output_format_csv_header_serialize_tuple_into_separate_columns=false";
        String message = encode(format, ALL, format.endsWith("EachRow") && !format.contains("Compact")
            || format.startsWith("CSV") ? named : "", rows);
        String settings = "date_time_input_format=\"basic\"";
        String wanted = encode("JSONCompactEachRow", ALL, "", rows).replace(", ", ",");
        assertEquals(wanted, shown(decode(format, ALL, settings, message), ALL));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # format | columns | message (\\n is a line break) | rows, or the start of an error
        JSONEachRow | i Int8; s String | {"s":"x","i":1,"other":[{}]} {"i":2} | [1,"x"]\\n[2,""]
        JSONEachRow | i Int8; s String | [{"i":1},{"i":2}] | [1,""]\\n[2,""]
        JSONEachRow | i Int8; s String | {"i":"-128","s":null} | [-128,""]
        JSONEachRow | i Int8; s String | {"i":1,"s":{"a":[1]}} | [1,"{\\"a\\":[1]}"]
        JSONEachRow | i Int8; s String | {"i":128} | error: Cannot parse
        JSONEachRow | i Int8; s String | {"i":1,} | error: Cannot parse
        JSONEachRow | i Int8; s String | {"i":1}, x | error:
        JSONEachRow | i Int8 | `` | ``
        JSONCompactEachRow | i Int8; s String | [1,"a"]\\n[2,"b"] | [1,"a"]\\n[2,"b"]
        JSONCompactEachRow | i Int8; s String | [1] | error:
        JSONAsString | s String | {"a": 1} {"b":2} | ["{\\"a\\": 1}"]\\n["{\\"b\\":2}"]
        JSONAsString | s String | {"a": 1 | error: Unexpected end of file while parsing JSON object
        CSV | i Int8; s String | 1,"a,""b""\"\\n2,c | [1,"a,\\"b\\""]\\n[2,"c"]
        CSV | i Nullable(Int8); s String | \\\\N,x | [null,"x"]
        CSV | i Int8; s String | 1,"a | error: Cannot parse input: a field in quotes is not closed
        CSV | i Int8; s String | 1 | error:
        CSVWithNames | i Int8; s String | s,i\\nx,1 | [1,"x"]
        CSVWithNames | i Int8; s String | s,s\\nx,1 | error: Duplicate field
        TabSeparated | i Int8; s String | 1\\ta\\\\tb\\\\x41 | [1,"a\\tbA"]
        TabSeparated | i Int8; s String | 1\\ta\\\\x4 | error: Cannot parse escape sequence
        TabSeparated | i Int8; s String | 1\\ta\\r\\n | error: You have carriage return
        TSKV | i Int8; s String | s=a\\\\=b\\ti=1 | [1,"a=b"]
        TSKV | i Int8; s String | i=1\\ti=2 | error: Duplicate field
        TSKV | i Int8; s String | i | error: Found field without value
        LineAsString | s String | a\\nb | ["a"]\\n["b"]
        RawBLOB | s String | a\\nb | ["a\\nb"]
        """)
    void messages(String format, String columns, String message, String wanted) {
        String text = message == null ? "" : message.translateEscapes();
        String found = shown(decode(format, columns, "", text), columns).strip();
        String expected = wanted == null ? "" : wanted.replace("\\n[", "\n[");
        if (expected.startsWith("error:")) assertTrue(found.startsWith(expected), found);
        else assertEquals(expected, found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # columns | text of the value | what it is, or error
        Int8 | 127 | 127
        Int8 | -129 | error
        UInt8 | 255 | 255
        UInt8 | -1 | error
        UInt32 | 4294967295 | 4294967295
        UInt32 | 4294967296 | error
        Int64 | -9223372036854775808 | -9223372036854775808
        Int64 | 9223372036854775808 | error
        UInt64 | 18446744073709551615 | 18446744073709551615
        UInt64 | 18446744073709551616 | error
        Float64 | -1.7976931348623157e308 | -1.7976931348623157e308
        Float32 | 16777217 | 16777216
        Decimal(4, 2) | -99.99 | -99.99
        Decimal(4, 2) | 100 | error
        Bool | true | true
        Bool | yes | true
        Bool | maybe | error
        UUID | 61f0c404-5cb3-11e7-907b-a6006ad3dba0 | "61f0c404-5cb3-11e7-907b-a6006ad3dba0"
        UUID | 61f0c404 | error
        Enum | b | "b"
        Enum | 2 | "b"
        Enum | c | error
        FixedString(2) | abc | error
        Date | 2000-02-29 | "2000-02-29"
        Date | 1900-02-29 | error
        DateTime | 4294967295 | "2106-02-07 06:28:15"
        DateTime | 2020-01-02 24:00:00 | error
        DateTime64(3) | 2020-01-02 03:04:05.6789 | "2020-01-02 03:04:05.678"
        DateTime64(3, America/New_York) | 2020-07-01 00:00:00 | "2020-07-01 00:00:00.000"
        """)
    void valuesAtTheirBounds(String type, String text, String wanted) {
        String columns = "v " + type;
        String found = shown(decode("TabSeparated", columns, "", text + "\n"), columns).strip();
        if (wanted.equals("error")) assertTrue(found.startsWith("error: "), found);
        else assertEquals("[" + wanted + "]", found);
    }

    @Test
    void aPrefixIsSkipped() {
        String columns = Described.columns("i Int8");
        var inner = (Decoder) Described.decoder("CSV", columns, Described.settings(""));
        var decoder = new SkippingDecoder(inner, 5, 1);
        assertEquals("[7]", shown(decoder.decode(new byte[] {0, 0, 0, 0, 1, '7'}), "i Int8").strip());
        assertTrue(shown(decoder.decode(new byte[4]), "i Int8").startsWith("error: The message has 4 bytes"));
    }

    @Test
    void unknownClassesAreRefused() {
        String columns = Described.columns("i Int8");
        assertThrows(IllegalArgumentException.class, () -> Codecs.of("text.X", columns, Described.settings("")));
    }
}
