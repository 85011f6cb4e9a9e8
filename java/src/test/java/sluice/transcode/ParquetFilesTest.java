package sluice.transcode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.NanoTime;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of parquet-mr, joined in both ways and read by it. */
class ParquetFilesTest {
    private static final MessageType ONE = MessageTypeParser.parseMessageType(
        "message m { required int64 a; optional binary b (STRING); repeated group c { optional int32 d; } }");
    private static final MessageType OTHER = MessageTypeParser.parseMessageType("message m { required int64 a; }");

    private static final MessageType ALL = MessageTypeParser.parseMessageType(
        "message m { required int64 a; optional binary b (STRING); repeated group c { optional int32 d; } "
        + "required boolean e; optional fixed_len_byte_array(3) f; optional double g; required float h; "
        + "optional group i (LIST) { repeated group list { optional group element (LIST) { "
        + "repeated group list { optional binary element (STRING); } } } } optional int96 j; optional boolean k; }");

    private static final MessageType FLOATS = MessageTypeParser.parseMessageType(
        "message m { required boolean e; optional double g; repeated float h; optional boolean k; }");

    @TempDir
    java.nio.file.Path folder;
    private int files;

    private final Decompressor decompressor = new Decompressor();

    @AfterEach
    void close() {
        decompressor.close();
    }

    private ParquetFiles joins(boolean merged) {
        Effort effort = new Effort();
        return new ParquetFiles(
            schema -> merged ? new MergedGroup(schema, decompressor, effort) : new CopiedGroups());
    }

    private byte[] file(MessageType type, CompressionCodecName codec, int from, int count) throws Exception {
        return file(type, codec, from, count, 1, false);
    }

    private byte[] file(MessageType type, CompressionCodecName codec, int from, int count, int version, boolean checked)
            throws Exception {
        java.nio.file.Path path = folder.resolve(files++ + ".parquet");
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new Path(path.toUri()))
            .withType(type).withCompressionCodec(codec).withPageWriteChecksumEnabled(checked)
            .withPageRowCountLimit(1 + from % 3).withDictionaryEncoding(from % 2 == 0)
            .withWriterVersion(version == 1 ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0)
            .withRowGroupRowCountLimit(2).build()) {
            for (int i = from; i < from + count; i++) writer.write(row(type, i));
        }
        return Files.readAllBytes(path);
    }

    private static Group row(MessageType type, int number) {
        if (type == FLOATS) return floats(number);
        Group row = new SimpleGroup(type).append("a", (long) number);
        if (type != ONE && type != ALL) return row;
        if (number % 2 == 0) row.append("b", "text " + number);
        row.addGroup("c").append("d", -number);
        return type == ALL ? more(row, number) : row;
    }

    private static Group floats(int number) {
        Group row = new SimpleGroup(FLOATS).append("e", number % 7 < 3);
        if (number % 4 > 0) row.append("g", number / 7.0);
        for (int n = number % 4; n > 0; n--) row.append("h", number / 3f + n);
        return number % 3 > 0 ? row.append("k", number % 2 == 0) : row;
    }

    private static Group more(Group row, int number) {
        for (int n = number % 3; n > 0; n--) row.addGroup("c");
        row.append("e", number % 7 < 3);
        if (number % 5 > 0) row.append("f", Binary.fromString("f" + number % 10 + "x"));
        if (number % 4 > 0) row.append("g", number / 7.0);
        row.append("h", number / 3f);
        if (number % 4 == 0) return row;
        Group list = row.addGroup("i");
        for (int n = number % 4; n > 1; n--) {
            Group inner = list.addGroup("list");
            if (n == 2) continue;
            Group texts = inner.addGroup("element");
            for (int m = number % 3; m > 0; m--) {
                Group text = texts.addGroup("list");
                if (m > 1) text.append("element", "inner " + m);
            }
        }
        return row.append("j", new NanoTime(2_460_000 + number, number)).append("k", true);
    }

    private List<String> rows(byte[] file) throws Exception {
        java.nio.file.Path path = folder.resolve(files++ + ".parquet");
        Files.write(path, file);
        List<String> found = new ArrayList<>();
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), new Path(path.toUri()))
            .withConf(new Configuration()).build()) {
            for (Group row = reader.read(); row != null; row = reader.read()) found.add(row.toString());
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsAreThoseOfAllFilesInTheirOrder(boolean merged) throws Exception {
        ParquetFiles joined = joins(merged);
        assertTrue(joined.add(0, file(ONE, CompressionCodecName.SNAPPY, 0, 3)));
        assertTrue(joined.add(1, file(OTHER, CompressionCodecName.SNAPPY, 10, 1)));
        assertTrue(joined.add(2, file(ONE, CompressionCodecName.ZSTD, 0, 0)));
        assertFalse(joined.add(3, new byte[] {'P', 'A', 'R', '1'}));
        assertTrue(joined.add(4, file(ONE, CompressionCodecName.GZIP, 3, 7)));
        List<JoinedFile> found = List.copyOf(joined.joined());
        assertEquals(List.of(List.of(0, 2, 4), List.of(1)), found.stream().map(each -> each.messages).toList());
        assertEquals(List.of(3, 0, 7), found.get(0).counts);
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 10; i++) wanted.add(row(ONE, i).toString());
        assertEquals(wanted, rows(found.get(0).bytes()));
        assertEquals(List.of(row(OTHER, 10).toString()), rows(found.get(1).bytes()));
    }

    /** Codecs, both versions of pages, with dictionaries and without, checksums, values of every type. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void pagesOfEveryKindAreMerged(int version) throws Exception {
        MessageType type = version == 1 ? ALL : FLOATS;
        ParquetFiles joined = joins(true);
        List<String> wanted = new ArrayList<>();
        int from = 0;
        for (CompressionCodecName codec : List.of(CompressionCodecName.UNCOMPRESSED, CompressionCodecName.SNAPPY,
            CompressionCodecName.GZIP, CompressionCodecName.ZSTD, CompressionCodecName.LZ4_RAW)) {
            for (int n = 0; n < 8; n++, from += 5) {
                assertTrue(joined.add(n, file(type, codec, from, 5, version, n % 2 == 0)), codec + " " + n);
                for (int i = from; i < from + 5; i++) wanted.add(row(type, i).toString());
            }
        }
        JoinedFile only = joined.joined().iterator().next();
        assertEquals(wanted, rows(only.bytes()));
        // of the second version, integers are encoded by their differences
        assertFalse(joined.add(1000, file(ONE, CompressionCodecName.SNAPPY, 1, 40, 2, false)));
    }

    /** Nothing of a message that is not merged is left. */
    @Test
    void pagesWithAWrongChecksum() throws Exception {
        byte[] whole = file(OTHER, CompressionCodecName.UNCOMPRESSED, 5, 1, 1, true);
        int value = indexOf(whole, new byte[] {5, 0, 0, 0, 0, 0, 0, 0});
        ParquetFiles joined = joins(true);
        assertTrue(joined.add(0, whole));
        whole[value] = 6;
        assertFalse(joined.add(1, whole));
        whole[value] = 5;
        assertTrue(joined.add(2, whole));
        JoinedFile only = joined.joined().iterator().next();
        assertEquals(List.of(0, 2), only.messages);
        assertEquals(List.of(row(OTHER, 5).toString(), row(OTHER, 5).toString()), rows(only.bytes()));
    }

    private static int indexOf(byte[] in, byte[] wanted) {
        for (int at = 0; ; at++) {
            if (Arrays.equals(in, at, at + wanted.length, wanted, 0, wanted.length)) return at;
        }
    }

    /** Whatever the bytes are, it is joined or not; nothing is allocated that a length claims. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void damagedFiles(boolean merged) throws Exception {
        byte[] whole = file(ONE, CompressionCodecName.SNAPPY, 0, 3);
        ParquetFiles joined = joins(merged);
        for (int i = 0; i < whole.length; i++) assertFalse(joined.add(0, Arrays.copyOf(whole, i)));
        Random random = new Random(7);
        int refused = 0, from = merged ? 0 : whole.length / 2;
        for (int i = 0; i < 10_000; i++) {
            byte[] damaged = whole.clone();
            for (int n = random.nextInt(3); n >= 0; n--) {
                damaged[from + random.nextInt(whole.length - from)] = (byte) random.nextInt(256);
            }
            ParquetFiles one = joins(merged);
            if (one.add(0, damaged)) {
                one.joined().forEach(JoinedFile::bytes);
            } else {
                refused++;
            }
        }
        assertTrue(refused > 2_000, "refused: " + refused);
        assertTrue(joined.add(1, whole));
        assertEquals(List.of(1), joined.joined().iterator().next().messages);
        assertEquals(3, rows(joined.joined().iterator().next().bytes()).size());
    }

    /** A file that names places outside itself would show rows of another message. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void placesAreInTheirOwnMessage(boolean merged) throws Exception {
        byte[] whole = file(OTHER, CompressionCodecName.UNCOMPRESSED, 5, 1);
        int size = whole.length - 8 - (whole[whole.length - 8] & 0xff | (whole[whole.length - 7] & 0xff) << 8);
        ParquetFiles joined = joins(merged);
        for (int kept = 4; kept < 24; kept++) { // its column has more than 20 bytes
            byte[] less = new byte[whole.length - size + kept];
            System.arraycopy(whole, 0, less, 0, kept);
            System.arraycopy(whole, size, less, kept, whole.length - size);
            assertFalse(joined.add(0, less));
        }
        assertTrue(joined.add(1, whole));
        assertEquals(List.of(row(OTHER, 5).toString()), rows(joined.joined().iterator().next().bytes()));
    }

    /** A message that is small and has much in it is left to ClickHouse, which has limits. */
    @Test
    void whatIsLargeIsNotMerged() throws Exception {
        java.nio.file.Path path = folder.resolve("bomb.parquet");
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new Path(path.toUri()))
            .withType(OTHER).withCompressionCodec(CompressionCodecName.ZSTD).build()) {
            for (int i = 0; i < 300_000; i++) writer.write(row(OTHER, 1));
        }
        byte[] bomb = Files.readAllBytes(path);
        assertTrue(bomb.length < 10_000, "size: " + bomb.length);
        ParquetFiles joined = joins(true);
        assertFalse(joined.add(0, bomb));
        assertTrue(joined.add(1, file(OTHER, CompressionCodecName.ZSTD, 5, 1)));
    }

    /** Of many schemas in a batch only the first have a file each. */
    @Test
    void schemasAreLimited() throws Exception {
        ParquetFiles joined = joins(true);
        int added = 0;
        for (int n = 0; n < 100; n++) {
            MessageType type = MessageTypeParser.parseMessageType("message m { required int64 a" + n + "; }");
            added += joined.add(n, file(type, CompressionCodecName.UNCOMPRESSED, 0, 0)) ? 1 : 0;
        }
        assertEquals(Joiner.MOST_FILES, added);
    }
}
