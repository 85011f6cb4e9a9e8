package sluice.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is stored for types that Spark lacks: texts there and back, and their order. */
class EncodingTest {
    private static Object stored(String type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Encoding.of(type).parsed(bytes, 0, bytes.length);
    }

    private static String text(String type, Object stored) {
        Output out = new Output();
        Encoding.of(type).write(stored, out);
        return new String(out.message(), StandardCharsets.US_ASCII);
    }

    /** Each value is greater than the one before it, and its text is the same again. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "IPv4|0.0.0.0 1.2.3.4 127.255.255.255 128.0.0.0 255.255.255.255",
        "IPv6|:: ::1 ::1.2.3.4 ::ffff:1.2.3.4 1:0:0:2:: 64:ff9b::102:304 2001:db8::1:0:0:1 ffff::",
        "Int128|-170141183460469231731687303715884105728 -256 -1 0 1 255 256 170141183460469231731687303715884105727",
        "UInt128|0 1 255 256 340282366920938463463374607431768211455",
        "Int256|-18446744073709551616 -1 0 18446744073709551616",
        "UInt256|0 115792089237316195423570985008687907853269984665640564039457584007913129639935",
        "Decimal(50, 3)|-1234567890123456789012345678901234567890.5 -0.001 0 0.001 1.5 20",
        "DateTime64(9)|1900-01-01 00:00:00.000000001;1969-12-31 23:59:59.999999999;1970-01-01 00:00:00.000000000",
        "DateTime64(7, 'Asia/Tokyo')|1900-01-01 00:00:00.0000001;2299-12-31 23:59:59.9999999",
        "Time|-999:59:59 -00:00:01 00:00:00 12:34:56 999:59:59",
        "Time64(9)|-00:00:00.000000001 00:00:00.000000000 00:00:00.000000001 100:00:00.500000000"})
    void textsInOrder(String type, String texts) {
        Object before = null;
        for (String each : texts.split(texts.contains(";") ? ";" : " ")) {
            Object found = stored(type, each);
            assertEquals(each, text(type, found));
            if (before != null) assertTrue(less(before, found), each);
            before = found;
        }
    }

    private static boolean less(Object one, Object other) {
        return one instanceof Long number ? number < (Long) other
            : Arrays.compareUnsigned((byte[]) one, (byte[]) other) < 0;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "IPv4|1.2.3", "IPv4|1.2.3.256", "IPv4|1.2.3.4.5", "IPv4|1..2.3", "IPv6|1::2::3", "IPv6|12345::",
        "IPv6|1:2:3:4:5:6:7:8:9", "IPv6|1:2:3:4:5:6:7", "IPv6|:1", "IPv6|1:", "IPv6|1:2:3:4:5:6:7:1.2.3.4",
        "Int128|170141183460469231731687303715884105728", "Int128|1.5", "Int128|--5", "UInt256|-1", "UInt256|",
        "Decimal(50, 3)|1e60", "Decimal(50, 3)|1e999999999", "Decimal(50, 3)|x", "Time|1000:00:00", "Time|1:2:3",
        "Time|12:34:56.5", "Time|3600", "Time64(3)|12:34:56.x", "DateTime64(9)|2263-01-01 00:00:00",
        "DateTime64(9)|1600-01-01 00:00:00", "DateTime64(9)|2020-02-30", "DateTime64(9)|15778368001"})
    void otherTextsAreNone(String type, String text) {
        assertNull(stored(type, text == null ? "" : text));
    }
}
