package sluice.formats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.Described;
import sluice.flink.FlinkDecoder;
import sluice.flink.FlinkEncoder;

/** Messages of Flink's formats: round trips, and what is wrong with bad ones. */
class FlinkFormatsTest {
    private static final String OPTIONS = """
        {"ignore-parse-errors": false, "fail-on-missing-field": false, "timestamp-format.standard": "SQL",
         "encode.ignore-null-fields": false, "encode.decimal-as-plain-number": false,
         "map-null-key.mode": "FAIL", "map-null-key.literal": "null", "field-delimiter": ",",
         "disable-quote-character": false, "quote-character": "\\"", "array-element-delimiter": ";",
         "trim-spaces": false, "allow-comments": false, "ignore-first-line": false,
         "empty-string-as-null": false, "ignore-trailing-unmappable": false, "allow-trailing-comma": true,
         "fail-on-missing-columns": false, "write-bigdecimal-in-scientific-notation": true,
         "charset": "UTF-8", "endianness": "big-endian", "encoding": "binary",
         "timestamp_mapping.legacy": false}""";
    private static final String COLUMNS = "i Nullable(Int64); f Nullable(Float64); s Nullable(String); "
        + "d Nullable(Decimal(10, 2)); b Nullable(Bool); day Nullable(Date); t Nullable(Local)";

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static FlinkDecoder decoder(String format, String columns, String options) {
        return (FlinkDecoder) Described.decoder(format, columns, options);
    }

    private static FlinkEncoder encoder(String format, String columns, String options) {
        return (FlinkEncoder) Described.encoder(format, columns, options);
    }

    private static String shown(FlinkDecoder decoder, byte[] message) {
        InternalRow row = decoder.row(message);
        if (row == null) return "none";
        Object[] values = ((GenericInternalRow) row).values();
        return values[0] != null ? "error: " + values[0]
            : Arrays.toString(Arrays.copyOfRange(values, 1, values.length));
    }

    private static InternalRow row(boolean none) {
        Object[] values = {Long.MIN_VALUE, 0.1, UTF8String.fromString("q\",\n;ü"),
            org.apache.spark.sql.types.Decimal.apply(new java.math.BigDecimal("-99999999.99"), 10, 2),
            true, 18262, 1_577_934_245_678_000L};
        return new GenericInternalRow(none ? new Object[values.length] : values);
    }

    @ParameterizedTest
    @CsvSource({"json, false", "json, true", "csv, false", "avro, false", "avro, true"})
    void whatIsWrittenIsReadBack(String format, boolean none) {
        String columns = Described.columns(COLUMNS);
        String options = Described.with(OPTIONS, format.equals("csv") ? "null-literal=\"NULL\"" : "");
        InternalRow row = row(none);
        byte[] message = encoder(format, columns, options).row(row);
        String wanted = Arrays.toString(((GenericInternalRow) row).values());
        assertEquals(wanted, shown(decoder(format, columns, options), message));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "avro"})
    void everyBeginningOfAMessageIsBad(String format) {
        String columns = Described.columns(COLUMNS);
        byte[] message = encoder(format, columns, OPTIONS).row(row(false));
        FlinkDecoder decoder = decoder(format, columns, OPTIONS);
        for (int length = 1; length < message.length; length++) {
            String found = shown(decoder, Arrays.copyOf(message, length));
            assertTrue(found.startsWith("error: Failed to deserialize"), length + ": " + found);
        }
        byte[] longer = Arrays.copyOf(message, message.length + 1);
        if (format.equals("avro")) assertTrue(shown(decoder, longer).contains("1 bytes follow the record"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # format | columns | options | message | row, or what an error holds
        json | i Nullable(Int32); s Nullable(String) | | {"i":" 7 ","s":{"a":1}} | [7, {"a":1}]
        json | i Nullable(Int32); s Nullable(String) | | {"s":"x"} | [null, x]
        json | i Nullable(Int32) | fail-on-missing-field=true | {} | error: Could not find field with name 'i'
        json | i Nullable(Int32) | | {"i":"x"} | error: Failed to deserialize
        json | i Nullable(Int32) | ignore-parse-errors=true | {"i":"x"} | [null]
        json | i Nullable(Int32) | ignore-parse-errors=true | nonsense | none
        csv | i Nullable(Int32); s Nullable(String) | | 1,"a""b" | [1, a"b]
        csv | i Nullable(Int32); s Nullable(String) | field-delimiter=";" | 1;x | [1, x]
        csv | i Nullable(Int32); s Nullable(String) | | 1,"a | error: Missing closing quote for value
        csv | i Nullable(Int32) | | 1,2 | error: Too many entries
        csv | i Nullable(Int32) | ignore-trailing-unmappable=true | 1,2 | [1]
        """)
    void messages(String format, String columns, String options, String message, String wanted) {
        String given = Described.with(OPTIONS, options);
        String found = shown(decoder(format, Described.columns(columns), given), bytes(message));
        if (wanted.startsWith("error: ")) {
            assertTrue(found.startsWith("error: ") && found.contains(wanted.substring(7)), found);
        } else {
            assertEquals(wanted, found);
        }
    }

    @Test
    void rawNumbers() {
        String columns = Described.columns("v Nullable(Int32)");
        var encoder = encoder("raw", columns, OPTIONS);
        byte[] message = encoder.row(new GenericInternalRow(new Object[] {258}));
        assertArrayEquals(new byte[] {0, 0, 1, 2}, message);
        assertNull(encoder.row(new GenericInternalRow(new Object[1])));
        FlinkDecoder decoder = decoder("raw", columns, OPTIONS);
        assertEquals("[258]", shown(decoder, message));
        assertEquals("[null]", shown(decoder, null));
        assertTrue(shown(decoder, new byte[3]).contains("is not 4."));
        String little = Described.with(OPTIONS, "endianness=\"little-endian\"");
        assertEquals("[33619968]", shown(decoder("raw", columns, little), message));
    }
}
