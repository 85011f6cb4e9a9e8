package sluice.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times as people write them. */
class BestEffortTimeTest {
    private static BestEffortTime read(String text, boolean monthFirst) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new BestEffortTime(bytes, 0, bytes.length, monthFirst);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        2020-01-02T03:04:05Z | false | 2020-01-02 11045.000000
        2020-01-02 03:04:05.123456789+03:00 | false | 2020-01-02 245.123456
        2020/01/02 3:04 | false | 2020-01-02 11040.000000
        20200102030405 | false | 2020-01-02 11045.000000
        20200102 | false | 2020-01-02 0.000000
        1577934245 | false | 2020-01-02 11045.000000
        1577934245678 | false | 2020-01-02 11045.678000
        1577934245678901 | false | 2020-01-02 11045.678901
        1577934245678901234 | false | 2020-01-02 11045.678901
        2 Jan 2020 3:04 PM | false | 2020-01-02 54240.000000
        2 Jan 2020 12:00 AM | false | 2020-01-02 0.000000
        Thu, 02 January 2020 03:04:05 GMT | false | 2020-01-02 11045.000000
        02/03/2020 | false | 2020-03-02 0.000000
        02/03/2020 | true | 2020-02-03 0.000000
        13/02/2020 | true | 2020-02-13 0.000000
        2-Jan-69 | false | 2069-01-02 0.000000
        2-Jan-70 | false | 1970-01-02 0.000000
        2020-01-02 03:04:05 -0330 | false | 2020-01-02 23645.000000
        """)
    void understood(String text, boolean monthFirst, String wanted) {
        BestEffortTime read = read(text, monthFirst);
        assertTrue(read.all());
        long micros = read.instant != null ? read.instant
            : (LocalDate.of(read.year, read.month, read.day).atStartOfDay().toEpochSecond(ZoneOffset.UTC) + read.second
                - (read.offset == null ? 0 : read.offset)) * 1_000_000 + read.micros;
        LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(micros, 86_400_000_000L));
        long left = Math.floorMod(micros, 86_400_000_000L);
        assertEquals(wanted, String.format("%s %d.%06d", day, left / 1_000_000, left % 1_000_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "2020-01-02 25:00:00", "2020-01-02 03:60", "2020-01-02 13:00 PM",
        "12345", "Jan Feb 2020", "2020-01-02 03:04:05.", "2020-01-02 03:04:05 +25"})
    void notUnderstood(String text) {
        assertFalse(read(text, false).all());
    }
}
