package sluice.formats;

import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.Described;
import sluice.decode.Decoder;

/** Messages that take more than they should of a reader that is not careful: none crashes one, or takes it long. */
class HarmfulMessagesTest {
    private static final int DEEP = 10_000_000;
    private static final int LONG = 1 << 20;
    private static final int SHOWN = 2000; // bytes that an error may have
    private static final Duration SLOW = Duration.ofSeconds(20); // on a busy machine; what is quadratic takes longer
    private static final String ANYWAY = "input_format_allow_errors_ratio=1";
    private static final String CUSTOM = "format_custom_escaping_rule=\"%s\", format_custom_field_delimiter=\"|\"";
    private static final String[][] READERS = {
        {"JSONEachRow", "s String; i Int64; f Float64; d Decimal(9, 2); a Array(String); j JSON", ANYWAY},
        {"JSONStringsEachRow", "s String; a Array(String)", ""},
        {"JSONCompactEachRowWithNamesAndTypes", "s String; i Int64", ""}, {"JSONObjectEachRow", "s String; i Int64", ""},
        {"JSONAsString", "s String", ANYWAY}, {"JSONAsObject", "j JSON", ""}, {"CSV", "s String; i Int64", ANYWAY},
        {"CSVWithNames", "a Array(String); s String", ""}, {"TabSeparated", "a Array(String); f Float64", ANYWAY},
        {"TabSeparatedRaw", "s String; i Int64", ""}, {"TSKV", "s String; a Array(String)", ""},
        {"JSON", "s String; i Int64; j JSON", ANYWAY}, {"JSONCompact", "s String; a Array(String)", ANYWAY},
        {"JSONColumns", "s String; f Float64", ""}, {"JSONCompactColumns", "s String; d Decimal(9, 2)", ""},
        {"JSONColumnsWithMetadata", "s String; i Int64", ""}, {"BSONEachRow", "s String; a Array(Array(String))", ANYWAY},
        {"Values", "s String; a Array(String); f Float64", ""}, {"CustomSeparated", "s String; a Array(String)", ""},
        {"CustomSeparated", "s String; i Int64", CUSTOM.formatted("CSV")}, {"CustomSeparated", "s String; d Decimal(9, 2)", CUSTOM.formatted("JSON")},
        {"CustomSeparatedIgnoreSpacesWithNames", "a Array(String)", CUSTOM.formatted("Quoted")}, {"Form", "s String; a Array(String)", ""},
        {"Template", "s String; i Int64", "format_template_row_format=\"${s:CSV},${i:JSON}\", format_template_resultset_format=\"${data}\""},
        {"MySQLDump", "s String; a Array(String)", ""}, {"Npy", "s String", ""}, {"Npy", "a Array(Array(Int8))", ""},
        {"Regexp", "s String", "format_regexp=\"((?:a|[^b]|(?:.*,)*)*)x?\", format_regexp_skip_unmatched=true"},
    };
    private static final String META = "{\"meta\":[{\"name\":\"s\",\"type\":\"String\"}],\"data\":";
    private static final String NUMPY = "\223NUMPY\1\0\200\0%-128s"
        .formatted("{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }");
    private static final Map<String, Supplier<String>> MESSAGES = Map.ofEntries(
        Map.entry("lists", () -> "[".repeat(DEEP)),
        Map.entry("objects", () -> "{\"a\":".repeat(DEEP)),
        Map.entry("a list in an object", () -> "{\"a\":" + "[".repeat(DEEP)),
        Map.entry("a list that nobody reads", () -> "{\"z\":" + "[".repeat(DEEP) + "]".repeat(DEEP) + "}"),
        Map.entry("a list in JSON", () -> "{\"j\":{\"a\":" + "[".repeat(DEEP) + "]".repeat(DEEP) + "}}"),
        Map.entry("a list for a text", () -> "{\"s\":" + "[".repeat(DEEP) + "]".repeat(DEEP) + "}"),
        Map.entry("quotes", () -> "\"".repeat(LONG)), Map.entry("single quotes", () -> "'".repeat(LONG)),
        Map.entry("backslashes", () -> "\\".repeat(LONG)), Map.entry("NUL", () -> "\0".repeat(LONG)),
        Map.entry("an open string", () -> "{\"s\":\"" + "x".repeat(LONG)),
        Map.entry("a long key", () -> "{\"" + "x".repeat(LONG) + "\":1}"),
        Map.entry("a long number", () -> "{\"i\":" + "9".repeat(LONG) + "}"),
        Map.entry("a long fraction", () -> "{\"f\":0." + "9".repeat(LONG) + "}"),
        Map.entry("a long decimal", () -> "{\"d\":0." + "9".repeat(LONG) + "}"),
        Map.entry("large exponents", () -> "{\"d\":1e999999999} {\"d\":1e-999999999} {\"f\":1e999999999}"),
        Map.entry("digits", () -> "9".repeat(LONG)), Map.entry("tabs", () -> "\t".repeat(LONG)),
        Map.entry("commas", () -> ",".repeat(LONG)), Map.entry("lines", () -> "\n".repeat(LONG >> 5)),
        Map.entry("escapes in fields", () -> "\"a\"\"b\",1\n".repeat(LONG / 9)),
        Map.entry("escapes in elements", () -> "[" + "'\\n',".repeat(LONG / 5) + "'']\t1\n"),
        Map.entry("escapes in strings", () -> "{\"a\":[" + "\"\\n\",".repeat(LONG / 5) + "\"\"]}"),
        Map.entry("escapes in lines", () -> "a\\tb\t1\n".repeat(LONG / 7)),
        Map.entry("a deep type", () -> "{\"meta\":[{\"name\":\"s\",\"type\":\"" + "Array(".repeat(LONG) + "\"}],\"data\":["),
        Map.entry("names", () -> "{\"meta\":[" + "{\"name\":\"s\",\"type\":\"String\"},".repeat(LONG / 28) + "]}"),
        Map.entry("bad rows after metadata", () -> META + "[" + "{\"i\":\"x\"}\n".repeat(LONG / 10) + "]}"),
        Map.entry("bad lists after metadata", () -> META + "[" + "[{}]\n".repeat(LONG / 5) + "]}"),
        Map.entry("rows that break off", () -> META + "[{\"i\":\"x\""), Map.entry("lists that break off", () -> META + "[[{"),
        Map.entry("a list behind the data", () -> META + "[],\"x\":" + "[".repeat(DEEP)),
        Map.entry("columns", () -> META + "{" + "\"x\":[],".repeat(LONG / 7) + "\"s\":[]}}"),
        Map.entry("values", () -> META + "{\"s\":[" + "1,".repeat(LONG) + "1]}}"),
        Map.entry("small documents", () -> "\5\0\0\0\0".repeat(LONG)),
        Map.entry("documents in documents", () -> "\377\377\377\0" + "\3z\0\377\377\377\0".repeat(LONG)),
        Map.entry("arrays in an array", () -> "\377\377\377\0" + "\4a\0\377\377\377\0".repeat(LONG)),
        Map.entry("long documents", () -> "\377\377\377\177".repeat(LONG)),
        Map.entry("a long name", () -> "\377\377\377\0\2" + "x".repeat((1 << 24) - 6)),
        Map.entry("blocks", () -> "{}".repeat(LONG)), Map.entry("lists of nothing", () -> "[[],[]]".repeat(LONG / 7)),
        Map.entry("comments", () -> "/*".repeat(LONG / 2)), Map.entry("lines of comments", () -> "-- x\n".repeat(LONG / 5)),
        Map.entry("statements", () -> "LOCK t;".repeat(LONG / 7)), Map.entry("a statement", () -> "LOCK `" + "x".repeat(LONG)),
        Map.entry("columns of a dump", () -> "INSERT INTO `t` (" + "`s`,".repeat(LONG / 4)),
        Map.entry("rows of a dump", () -> "INSERT INTO `t` VALUES " + "('a\\'b',['c']),".repeat(LONG / 16)),
        Map.entry("a large shape", () -> NUMPY.formatted("i1", "999999999, 999999999, 999999999") + "\1".repeat(LONG)),
        Map.entry("large texts", () -> NUMPY.formatted("U999999999", "999999999") + "\1".repeat(LONG)),
        Map.entry("a long shape", () -> "\223NUMPY\3\0\377\377\377\0{'descr': '<i1', 'fortran_order': False, 'shape': ("
            + "1, ".repeat(LONG / 3)),
        Map.entry("quotes that never end", () -> "\"a\"\",\n".repeat(LONG / 6)));

    static Iterable<String> messages() {
        return MESSAGES.keySet();
    }

    @ParameterizedTest
    @MethodSource("messages")
    void noneTakesLong(String which) {
        byte[] message = MESSAGES.get(which).get().getBytes(StandardCharsets.ISO_8859_1);
        for (String[] reader : READERS) {
            var decoder = (Decoder) Described.decoder(reader[0], Described.columns(reader[1]), Described.settings(reader[2]));
            ArrayData rows = assertTimeout(SLOW, () -> decoder.decode(message), reader[0]);
            InternalRow first = rows.numElements() == 0 ? null : rows.getStruct(0, 0);
            if (first == null || first.isNullAt(0)) continue;
            assertTrue(first.getUTF8String(0).numBytes() < SHOWN, reader[0]);
        }
    }
}
