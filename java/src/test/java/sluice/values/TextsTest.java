package sluice.values;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How texts and floating point numbers are written. */
class TextsTest {
    private static String escaped(Escapes escapes, String text) {
        Output out = new Output();
        out.put("kept ");
        int first = out.size;
        out.put(text.getBytes(StandardCharsets.UTF_8));
        escapes.from(out, first);
        return new String(out.message(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        # the text | JSON | JSON with slashes | Jackson's | TabSeparated | TSKV's keys | CSV
        plain ü | plain ü | plain ü | plain ü | plain ü | plain ü | plain ü
        a"b\\\\/ | a\\"b\\\\/ | a\\"b\\\\\\/ | a\\"b\\\\/ | a"b\\\\/ | a"b\\\\/ | a""b\\/
        \\t\\n='\\0 | \\t\\n='\\u0000 | \\t\\n='\\u0000 | \\t\\n='\\u0000 | \\t\\n=\\'\\0 | \\t\\n\\='\\0 |
        """)
    void escapes(String text, String json, String slashes, String jackson, String tab, String key, String csv) {
        String given = text.translateEscapes();
        assertEquals("kept " + json, escaped(Escapes.JSON, given));
        assertEquals("kept " + slashes, escaped(Escapes.JSON_SLASHES, given));
        assertEquals("kept " + jackson, escaped(Escapes.JACKSON, given));
        assertEquals("kept " + tab, escaped(Escapes.TAB, given));
        assertEquals("kept " + key, escaped(Escapes.KEY, given));
        if (csv != null) assertEquals("kept " + csv, escaped(Escapes.CSV, given));
    }

    @ParameterizedTest
    @CsvSource({"\u2028x, \\u2028x, \u2028x", "\ud83d\ude00, \ud83d\ude00, \\uD83D\\uDE00"})
    void separatorsAndPairs(String text, String json, String jackson) {
        assertEquals("kept " + json, escaped(Escapes.JSON, text));
        assertEquals("kept " + jackson, escaped(Escapes.JACKSON, text));
    }

    @ParameterizedTest
    @CsvSource({"0.0, 0", "-0.0, -0", "1.0E21, 1e21", "1.0E20, 100000000000000000000", "1.0E-6, 0.000001",
        "1.0E-7, 1e-7", "2.0E-3, 0.002", "9007199254740993, 9007199254740992", "1.7976931348623157E308, "
        + "1.7976931348623157e308", "NaN, nan", "-Infinity, -inf", "0.1, 0.1", "4.9E-324, 5e-324", "9.9E-324, 1e-323",
        "1.5E-323, 1.5e-323", "2.225073858507201E-308, 2.225073858507201e-308"})
    void floatingPoint(double value, String wanted) {
        Output out = new Output();
        FloatText.write(value, out);
        assertEquals(wanted, new String(out.message(), StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @CsvSource({"1, 1e-45", "2, 3e-45", "3, 4e-45", "7, 1e-44", "8388607, 1.1754942e-38", "8388608, 1.1754944e-38",
        "16777217, 2.350989e-38", "-2147483647, -1e-45"})
    void smallFloatingPoint(int bits, String wanted) {
        Output out = new Output();
        FloatText.write(Float.intBitsToFloat(bits), out);
        assertEquals(wanted, new String(out.message(), StandardCharsets.US_ASCII));
    }
}
