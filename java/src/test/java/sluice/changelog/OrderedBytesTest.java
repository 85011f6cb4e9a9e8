package sluice.changelog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import scala.math.Ordering;

/** Bytes of one length compare as Spark compares the values, and values come back as they were. */
class OrderedBytesTest {
    private static Stream<Arguments> values() {
        return Stream.of(
            Arguments.of(DataTypes.BooleanType, List.of(false, true)),
            Arguments.of(DataTypes.ByteType, List.of(Byte.MIN_VALUE, (byte) -1, (byte) 0, Byte.MAX_VALUE)),
            Arguments.of(DataTypes.ShortType, List.of(Short.MIN_VALUE, (short) -1, (short) 0, Short.MAX_VALUE)),
            Arguments.of(DataTypes.IntegerType, List.of(Integer.MIN_VALUE, -1, 0, 256, Integer.MAX_VALUE)),
            Arguments.of(DataTypes.DateType, List.of(-719162, 0, 20000)),
            Arguments.of(DataTypes.LongType, List.of(Long.MIN_VALUE, -1L, 0L, 255L, 256L, Long.MAX_VALUE)),
            Arguments.of(DataTypes.TimestampType, List.of(-1L, 0L, 1_700_000_000_000_000L)),
            Arguments.of(DataTypes.FloatType, List.of(Float.NEGATIVE_INFINITY, -1.5f, 0.0f, Float.MIN_VALUE, 1.5f,
                Float.POSITIVE_INFINITY, Float.NaN)),
            Arguments.of(DataTypes.DoubleType, List.of(Double.NEGATIVE_INFINITY, -1e300, -Double.MIN_VALUE, 0.0, 1e-300,
                0.1, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN)),
            Arguments.of(DataTypes.createDecimalType(10, 2), decimals(10, 2, "-99999999.99", "-0.01", "0.00", "12.30")),
            Arguments.of(DataTypes.createDecimalType(38, 3), decimals(38, 3, "-" + "9".repeat(35) + ".999", "-0.001",
                "0.000", "18446744073709551616.000", "9".repeat(35) + ".999")),
            Arguments.of(DataTypes.StringType, texts("", "\0", "a", "a\0", "ab", "abc", "abcd", "abcde", "b", "é",
                "x".repeat(60), "x".repeat(61), "日本")),
            Arguments.of(DataTypes.BinaryType, List.of(new byte[] {}, new byte[] {0}, new byte[] {1, -1}, new byte[] {-1})));
    }

    private static List<Decimal> decimals(int precision, int scale, String... texts) {
        return Arrays.stream(texts).map(text -> Decimal.apply(new BigDecimal(text), precision, scale)).toList();
    }

    private static List<UTF8String> texts(String... texts) {
        return Arrays.stream(texts).map(text -> UTF8String.fromBytes(text.getBytes(StandardCharsets.UTF_8))).toList();
    }

    @ParameterizedTest
    @MethodSource("values")
    void sortAsValuesDo(DataType type, List<Object> values) {
        Ordering<Object> order = TypeUtils.getInterpretedOrdering(type);
        for (boolean descending : new boolean[] {false, true}) {
            OrderedBytes bytes = new OrderedBytes(type, descending);
            for (Object one : values) {
                byte[] first = bytes.of(one);
                assertEquals(0, order.compare(one, bytes.value(first)), () -> type + " " + one);
                assertTrue(Integer.bitCount(first.length) == 1, "a power of two");
                for (Object other : values) {
                    byte[] second = bytes.of(other);
                    if (first.length != second.length) continue;
                    int expected = Integer.signum(order.compare(one, other)) * (descending ? -1 : 1);
                    int found = Integer.signum(Arrays.compareUnsigned(first, second));
                    assertEquals(expected, found, () -> type + ": " + one + ", " + other);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("zeros")
    void zeroHasNoSign(DataType type, Object negative, Object positive) {
        OrderedBytes bytes = new OrderedBytes(type, false);
        assertTrue(Arrays.equals(bytes.of(negative), bytes.of(positive)));
        assertEquals(positive, bytes.value(bytes.of(negative)));
    }

    private static Stream<Arguments> zeros() {
        return Stream.of(Arguments.of(DataTypes.FloatType, -0.0f, 0.0f), Arguments.of(DataTypes.DoubleType, -0.0, 0.0));
    }
}
