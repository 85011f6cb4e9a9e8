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
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of parquet-mr, joined and read by it. */
class ParquetFilesTest {
    private static final MessageType ONE = MessageTypeParser.parseMessageType(
        "message m { required int64 a; optional binary b (STRING); repeated group c { optional int32 d; } }");
    private static final MessageType OTHER = MessageTypeParser.parseMessageType("message m { required int64 a; }");

    @TempDir
    java.nio.file.Path folder;
    private int files;

    private byte[] file(MessageType type, CompressionCodecName codec, int from, int count) throws Exception {
        java.nio.file.Path path = folder.resolve(files++ + ".parquet");
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new Path(path.toUri()))
            .withType(type).withCompressionCodec(codec)
            .withRowGroupRowCountLimit(2).build()) {
            for (int i = from; i < from + count; i++) writer.write(row(type, i));
        }
        return Files.readAllBytes(path);
    }

    private static Group row(MessageType type, int number) {
        Group row = new SimpleGroup(type).append("a", (long) number);
        if (type == ONE && number % 2 == 0) row.append("b", "text " + number);
        if (type == ONE) row.addGroup("c").append("d", -number);
        return row;
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

    @Test
    void rowsAreThoseOfAllFilesInTheirOrder() throws Exception {
        ParquetFiles joined = new ParquetFiles();
        assertTrue(joined.add(0, file(ONE, CompressionCodecName.SNAPPY, 0, 3)));
        assertTrue(joined.add(1, file(OTHER, CompressionCodecName.SNAPPY, 10, 1)));
        assertTrue(joined.add(2, file(ONE, CompressionCodecName.ZSTD, 0, 0)));
        assertFalse(joined.add(3, new byte[] {'P', 'A', 'R', '1'}));
        assertTrue(joined.add(4, file(ONE, CompressionCodecName.GZIP, 3, 7)));
        List<ParquetFiles.Joined> found = List.copyOf(joined.joined());
        assertEquals(List.of(List.of(0, 2, 4), List.of(1)), found.stream().map(each -> each.messages).toList());
        assertEquals(List.of(3, 0, 7), found.get(0).counts);
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 10; i++) wanted.add(row(ONE, i).toString());
        assertEquals(wanted, rows(found.get(0).bytes()));
        assertEquals(List.of(row(OTHER, 10).toString()), rows(found.get(1).bytes()));
    }

    /** Whatever the bytes are, it is joined or not; nothing is allocated that a length claims. */
    @Test
    void damagedFiles() throws Exception {
        byte[] whole = file(ONE, CompressionCodecName.SNAPPY, 0, 3);
        ParquetFiles joined = new ParquetFiles();
        for (int i = 0; i < whole.length; i++) assertFalse(joined.add(0, Arrays.copyOf(whole, i)));
        Random random = new Random(7);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = whole.clone();
            damaged[whole.length - 1 - random.nextInt(whole.length / 2)] = (byte) random.nextInt(256);
            refused += new ParquetFiles().add(0, damaged) ? 0 : 1;
        }
        assertTrue(refused > 2_000, "refused: " + refused);
        assertTrue(joined.add(1, whole));
        assertEquals(List.of(1), joined.joined().iterator().next().messages);
        assertEquals(3, rows(joined.joined().iterator().next().bytes()).size());
    }

    /** A file that names places outside itself would show rows of another message. */
    @Test
    void placesAreInTheirOwnMessage() throws Exception {
        byte[] whole = file(OTHER, CompressionCodecName.UNCOMPRESSED, 5, 1);
        int size = whole.length - 8 - (whole[whole.length - 8] & 0xff | (whole[whole.length - 7] & 0xff) << 8);
        ParquetFiles joined = new ParquetFiles();
        for (int kept = 4; kept < 24; kept++) { // its column has more than 20 bytes
            byte[] less = new byte[whole.length - size + kept];
            System.arraycopy(whole, 0, less, 0, kept);
            System.arraycopy(whole, size, less, kept, whole.length - size);
            assertFalse(joined.add(0, less));
        }
        assertTrue(joined.add(1, whole));
        assertEquals(List.of(row(OTHER, 5).toString()), rows(joined.joined().iterator().next().bytes()));
    }
}
