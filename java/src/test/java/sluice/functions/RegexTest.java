package sluice.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.errors.ConditionException;

/** Patterns of users, by RE2. */
class RegexTest {
    private static UTF8String text(String text) {
        return UTF8String.fromString(text);
    }

    private static String all(ArrayData texts) {
        String[] found = new String[texts.numElements()];
        for (int i = 0; i < found.length; i++) found[i] = String.valueOf(texts.getUTF8String(i));
        return String.join("|", found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', nullValues = "-", textBlock = """
        # text; pattern; group; extract; first; all; replaced by <\\0>; split
        a1b22; [0-9]+; 0; 1; 1; 1|22; a<1>b<22>; a|b|``
        a1b22; (b)([0-9]+); 2; 22; 22; 22; a1<b22>; a1|``
        a1b22; (x)?b; 1; -; ``; ``; a1<b>22; a1|22
        üöü; ö; 0; ö; ö; ö; ü<ö>ü; ü|ü
        abc; x*; 0; ``; ``; ``; <>a<>b<>c<>; abc
        """)
    void calls(String text, String pattern, int group, String extract, String first, String all, String replaced,
            String split) {
        UTF8String given = text(text);
        UTF8String re = text(pattern);
        assertEquals(extract == null ? null : text(extract), Regex.extract(given, re, group));
        assertEquals(text(first), Regex.first(given, re, group));
        assertEquals(all, all(Regex.extractAll(given, re, group)));
        assertEquals(text(replaced), Regex.replace(given, re, text("<\\0>")));
        assertEquals(split.replace("``", ""), all(Regex.split(given, re)));
    }

    @Test
    void whatBacktracksForeverElsewhere() {
        UTF8String hard = text("a".repeat(5000) + "!");
        assertTimeoutPreemptively(Duration.ofSeconds(20), () ->
            assertEquals(false, Regex.like(hard, text("^(a+)+$"))));
    }

    @Test
    void wrongPatternsAreNamed() {
        for (String pattern : new String[] {"(", "(?=x)"}) {
            var bad = assertThrows(ConditionException.class, () -> Regex.like(text("x"), text(pattern)));
            assertEquals("CANNOT_COMPILE_REGEXP", bad.condition());
        }
    }
}
