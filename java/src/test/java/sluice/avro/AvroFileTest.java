package sluice.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.Described;
import sluice.decode.Decoder;
import sluice.values.Output;

/** Avro files that are wrong, by chance or by intent: each is one bad message, at once, in little memory. */
class AvroFileTest {
    private static final String INT = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"c\",\"type\":\"int\"}]}";
    private static final String ARRAY = INT.replace("\"int\"", "{\"type\":\"array\",\"items\":\"null\"}");
    private static final byte[] SYNC = new byte[16];

    private static String decoded(String column, byte[] message) {
        return assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            Decoder decoder = (Decoder) Described.decoder("Avro", Described.columns("c " + column), Described.settings(""));
            ArrayData rows = decoder.decode(message);
            if (rows.numElements() == 0) return "nothing";
            GenericInternalRow row = (GenericInternalRow) rows.getStruct(0, 2);
            return row.isNullAt(0) ? rows.numElements() + " rows" : row.getUTF8String(0).toString();
        });
    }

    private static Output header(String codec, String schema) {
        Output out = new Output();
        out.put(AvroFileDecoder.MAGIC);
        ColumnWriter.number(2, out);
        for (String each : new String[] {"avro.codec", codec, "avro.schema", schema}) {
            ColumnWriter.bytes(each.getBytes(StandardCharsets.UTF_8), out);
        }
        out.put(0);
        out.put(SYNC);
        return out;
    }

    private static byte[] file(String codec, String schema, long count, byte[] data) {
        Output out = header(codec, schema);
        ColumnWriter.number(count, out);
        ColumnWriter.bytes(data, out);
        out.put(SYNC);
        return out.message();
    }

    @ParameterizedTest
    @EnumSource(Blocks.class)
    void aBlockThatExpandsToMuch(Blocks codec) throws IOException {
        if (codec == Blocks.NULL) return;
        byte[] zeros = new byte[100 << 20];
        byte[] bomb = codec.packed(zeros, zeros.length);
        assertTrue(decoded("Int32", file(codec.title, INT, 1, bomb)).contains("more than 67108864 bytes"));
    }

    @ParameterizedTest
    @EnumSource(Blocks.class)
    void blocksThatAreDamaged(Blocks codec) throws IOException {
        byte[] good = codec.packed(new byte[] {2, 4, 6}, 3);
        assertEquals("3 rows", decoded("Int32", file(codec.title, INT, 3, good)));
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] ^= (byte) (1 + random.nextInt(255));
            decoded("Int32", file(codec.title, INT, 3, bad)); // an error or other rows, and no exception
        }
        byte[] whole = file(codec.title, INT, 3, good);
        for (int end = 0; end < whole.length; end++) decoded("Int32", java.util.Arrays.copyOf(whole, end));
        byte[] other = whole.clone();
        other[other.length - 1] ^= 1;
        assertTrue(decoded("Int32", other).contains("Sync mismatch"));
    }

    @Test
    void aLengthThatSnappyClaims() {
        byte[] lie = {-1, -1, -1, -1, 7, 0, 0, 0, 0};
        assertTrue(decoded("Int32", file("snappy", INT, 1, lie)).contains("cannot be read"));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1L << 31, Long.MAX_VALUE, Long.MIN_VALUE})
    void lengthsAndCountsThatAreClaimed(long claimed) {
        String error = decoded("Int32", file("null", INT, claimed, new byte[] {2}));
        assertTrue(error.contains("A block claims") || error.contains("ends within"), error);
        Output out = header("null", INT);
        ColumnWriter.number(1, out);
        ColumnWriter.number(claimed, out);
        assertTrue(decoded("Int32", out.message()).contains(claimed < 0 ? "negative" : "ends within"));
        Output items = new Output();
        ColumnWriter.number(claimed, items);
        for (String schema : new String[] {ARRAY, ARRAY.replace("\"null\"", "\"long\"")}) {
            for (String column : new String[] {"Array(Nullable(Int64))", "Int8"}) {
                String found = decoded(column, file("null", schema, 1, items.message()));
                assertTrue(found.contains("ends within") || found.contains("not compatible"), found);
            }
            String skipped = schema.replace("\"c\"", "\"d\"").replace("[{", "[{\"name\":\"c\",\"type\":\"int\"},{");
            items.put(0);
            String found = decoded("Int32", file("null", skipped, 1, prefixed(items.message())));
            assertTrue(found.contains("ends within"), found);
        }
    }

    private static byte[] prefixed(byte[] data) {
        return ByteBuffer.allocate(data.length + 1).put((byte) 2).put(data).array();
    }

    @Test
    void manyItemsWithoutBytes() {
        Output items = new Output();
        for (int i = 0; i < 20_000; i++) ColumnWriter.number(15_000, items); // blocks, each of them with many
        items.put(0);
        assertTrue(decoded("Array(Nullable(Int64))", file("null", ARRAY, 1, items.message())).contains("ends within"));
        String nothing = INT.replace("\"int\"", "\"null\"");
        assertTrue(decoded("Nullable(Int32)", file("null", nothing, 1 << 28, new byte[0])).contains("A block claims"));
        assertEquals("1000 rows", decoded("Nullable(Int32)", file("null", nothing, 1000, new byte[0])));
        Output many = header("null", nothing);
        for (int i = 0; i < 5_000; i++) {
            ColumnWriter.number(900_000, many);
            ColumnWriter.number(0, many);
            many.put(SYNC);
        }
        assertTrue(decoded("Nullable(Int32)", many.message()).contains("A block claims"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "\"int\"", "[]", "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"c\",\"type\":\"none\"}]}"})
    void schemasThatAreNone(String schema) {
        String error = decoded("Int32", file("null", schema, 1, new byte[] {2}));
        assertTrue(error.contains("schema"), error);
    }

    @Test
    void aSchemaThatIsDeep() {
        String deep = "{\"type\":\"array\",\"items\":".repeat(20_000) + "\"int\"" + "}".repeat(20_000);
        assertTrue(decoded("Int32", file("null", INT.replace("\"int\"", deep), 1, new byte[] {2})).contains("schema"));
    }

    @Test
    void otherCodecs() {
        assertTrue(decoded("Int32", file("bzip2", INT, 1, new byte[] {2})).contains("Unknown codec of an Avro file: bzip2"));
    }
}
