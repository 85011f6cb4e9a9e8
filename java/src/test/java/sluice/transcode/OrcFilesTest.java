package sluice.transcode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of ORC's own library, joined and read by it. */
class OrcFilesTest {
    private static final TypeDescription ALL = TypeDescription.fromString(
        "struct<a:bigint,b:string,c:array<struct<x:boolean,y:array<string>>>,d:double,e:map<string,tinyint>,"
        + "f:decimal(30,3),g:timestamp,h:date,i:binary,j:float,k:smallint,l:boolean,m:varchar(5),"
        + "n:timestamp with local time zone,o:struct<p:int,q:char(3)>>");
    private static final TypeDescription ONE = TypeDescription.fromString("struct<a:bigint>");

    @TempDir
    java.nio.file.Path folder;
    private int files;
    private final Decompressor decompressor = new Decompressor();

    @AfterEach
    void close() {
        decompressor.close();
    }

    private interface Filled {
        void row(VectorizedRowBatch batch, int row);
    }

    private byte[] file(TypeDescription type, CompressionKind codec, int count, Filled filled) throws Exception {
        java.nio.file.Path path = folder.resolve(files++ + ".orc");
        VectorizedRowBatch batch = type.createRowBatch(Math.max(1, Math.min(count, 1024)));
        try (Writer writer = OrcFile.createWriter(new Path(path.toUri()), OrcFile.writerOptions(new Configuration())
            .setSchema(type).compress(codec).rowIndexStride(codec == CompressionKind.NONE ? 0 : 10_000))) {
            for (int left = count; left > 0; left -= batch.size) {
                batch.reset();
                for (; batch.size < batch.getMaxSize() && batch.size < left; batch.size++) filled.row(batch, batch.size);
                writer.addRowBatch(batch);
            }
        }
        return Files.readAllBytes(path);
    }

    private byte[] file(TypeDescription type, CompressionKind codec, Random random, int count) throws Exception {
        return file(type, codec, count, (batch, row) -> {
            for (int n = 0; n < batch.cols.length; n++) fill(type.getChildren().get(n), batch.cols[n], row, random);
        });
    }

    private static void fill(TypeDescription type, ColumnVector into, int row, Random random) {
        boolean there = random.nextInt(4) > 0;
        into.isNull[row] = !there;
        into.noNulls &= there;
        switch (type.getCategory()) {
            case FLOAT, DOUBLE -> ((DoubleColumnVector) into).vector[row] = random.nextInt(100) / 7.0;
            case STRING, VARCHAR, CHAR, BINARY -> // few, so that there are dictionaries
                ((BytesColumnVector) into).setVal(row, ("b" + random.nextInt(6)).getBytes(StandardCharsets.UTF_8));
            case TIMESTAMP, TIMESTAMP_INSTANT -> ((TimestampColumnVector) into)
                .set(row, new Timestamp((1_400_000_000L + random.nextInt(300_000_000)) * 1000 + random.nextInt(1000)));
            case DECIMAL -> ((DecimalColumnVector) into).set(row, HiveDecimal.create(random.nextLong()).scaleByPowerOfTen(-3));
            case LIST -> {
                ListColumnVector list = (ListColumnVector) into;
                int size = there ? random.nextInt(3) : 0, from = list.childCount;
                list.offsets[row] = from;
                list.lengths[row] = size;
                list.childCount += size;
                list.child.ensureSize(list.childCount, true);
                for (int n = from; n < from + size; n++) fill(type.getChildren().get(0), list.child, n, random);
            }
            case MAP -> {
                MapColumnVector map = (MapColumnVector) into;
                int size = there ? random.nextInt(3) : 0, from = map.childCount;
                map.offsets[row] = from;
                map.lengths[row] = size;
                map.childCount += size;
                map.keys.ensureSize(map.childCount, true);
                map.values.ensureSize(map.childCount, true);
                for (int n = from; n < from + size; n++) {
                    ((BytesColumnVector) map.keys).setVal(n, ("k" + n).getBytes(StandardCharsets.UTF_8));
                    fill(type.getChildren().get(1), map.values, n, random);
                }
            }
            case STRUCT -> {
                ColumnVector[] fields = ((StructColumnVector) into).fields;
                for (int n = 0; n < fields.length; n++) {
                    fill(type.getChildren().get(n), fields[n], row, random);
                    if (there) continue;
                    fields[n].isNull[row] = true;
                    fields[n].noNulls = false;
                }
            }
            default -> ((LongColumnVector) into).vector[row] =
                type.getCategory() == TypeDescription.Category.BOOLEAN ? random.nextInt(2) : random.nextInt(100) - 50;
        }
    }

    private List<String> rows(byte[] file) throws Exception {
        java.nio.file.Path path = folder.resolve(files++ + ".orc");
        Files.write(path, file);
        List<String> found = new ArrayList<>();
        try (Reader reader = OrcFile.createReader(new Path(path.toUri()), OrcFile.readerOptions(new Configuration()));
            RecordReader rows = reader.rows()) {
            VectorizedRowBatch batch = reader.getSchema().createRowBatch();
            while (rows.nextBatch(batch)) {
                for (int row = 0; row < batch.size; row++) {
                    StringBuilder text = new StringBuilder();
                    for (ColumnVector each : batch.cols) {
                        each.stringifyValue(text, row);
                        text.append(' ');
                    }
                    found.add(text.toString());
                }
            }
            assertEquals(found.size(), reader.getNumberOfRows());
        }
        return found;
    }

    /** Every type and codec, with NULLs and without, with dictionaries, with no row and many. */
    @Test
    void rowsAreThoseOfAllFilesInTheirOrder() throws Exception {
        Random random = new Random(3);
        OrcFiles joined = new OrcFiles(decompressor);
        List<String> wanted = new ArrayList<>();
        List<Integer> messages = new ArrayList<>();
        int number = 0;
        for (CompressionKind codec : CompressionKind.values()) {
            for (int count : new int[] {1, 1, 2, 9, 40, 1, 300}) {
                if (codec == CompressionKind.LZO || codec == CompressionKind.BROTLI) continue;
                byte[] file = file(ALL, codec, random, count);
                assertTrue(joined.add(number, file), codec + " " + count);
                messages.add(number++);
                wanted.addAll(rows(file));
            }
        }
        assertTrue(joined.add(1000, file(ONE, CompressionKind.ZSTD, random, 3)));
        assertTrue(joined.add(1001, file(ALL, CompressionKind.ZSTD, random, 0)));
        assertFalse(joined.add(1002, file(TypeDescription.fromString("struct<a:uniontype<int,string>>"),
            CompressionKind.NONE, 1, (batch, row) -> { })));
        List<JoinedFile> found = List.copyOf(joined.joined());
        assertEquals(List.of(messages, List.of(1000), List.of(1001)), found.stream().map(each -> each.messages).toList());
        assertEquals(wanted, rows(found.get(0).bytes()));
        assertEquals(3, rows(found.get(1).bytes()).size());
        assertEquals(List.of(), rows(found.get(2).bytes()));
    }

    /** Integers of every width and run; those of which some are patched are not joined. */
    @Test
    void runsOfIntegers() throws Exception {
        Random random = new Random(5);
        OrcFiles joined = new OrcFiles(decompressor);
        List<String> wanted = new ArrayList<>();
        int added = 0;
        for (int n = 0; n < 60; n++) {
            int kind = n % 4, bits = 1 + random.nextInt(63);
            long first = random.nextLong() >> 64 - bits, step = random.nextInt(2000) - 1000;
            List<String> written = new ArrayList<>();
            byte[] file = file(ONE, CompressionKind.NONE, 1 + random.nextInt(900), (batch, row) -> {
                long value = switch (kind) {
                    case 0 -> first;
                    case 1 -> first + row * step;
                    case 2 -> first + row * step + random.nextInt(1 + (int) Math.abs(step));
                    default -> random.nextLong() >> 64 - bits;
                };
                ((LongColumnVector) batch.cols[0]).vector[row] = value;
                written.add(value + " ");
            });
            if (!joined.add(n, file)) continue;
            added++;
            wanted.addAll(written);
        }
        assertTrue(added > 40, "added: " + added);
        assertEquals(wanted, rows(joined.joined().iterator().next().bytes()));
    }

    /** Whatever the bytes are, it is joined or not; nothing of a message that is not is left. */
    @Test
    void damagedFiles() throws Exception {
        Random random = new Random(7);
        for (CompressionKind codec : List.of(CompressionKind.NONE, CompressionKind.ZSTD)) {
            byte[] whole = file(ALL, codec, random, 5);
            OrcFiles joined = new OrcFiles(decompressor);
            assertTrue(joined.add(1, whole));
            for (int i = 0; i < whole.length; i++) assertFalse(joined.add(0, Arrays.copyOf(whole, i)));
            int refused = 0;
            for (int i = 0; i < 10_000; i++) {
                byte[] damaged = whole.clone();
                for (int n = random.nextInt(3); n >= 0; n--) {
                    damaged[random.nextInt(whole.length)] = (byte) random.nextInt(256);
                }
                OrcFiles one = new OrcFiles(decompressor);
                if (one.add(0, damaged)) {
                    one.joined().forEach(JoinedFile::bytes);
                } else {
                    refused++;
                    if (i < 50) assertFalse(joined.add(0, damaged));
                }
            }
            assertTrue(refused > 2_000, "refused: " + refused);
            assertTrue(joined.add(2, whole));
            List<String> wanted = new ArrayList<>(rows(whole));
            wanted.addAll(rows(whole));
            assertEquals(wanted, rows(joined.joined().iterator().next().bytes()));
        }
    }

    /** A message that is small and has much in it is left to ClickHouse, which has limits. */
    @Test
    void whatIsLargeIsNotJoined() throws Exception {
        byte[] bomb = file(ONE, CompressionKind.ZSTD, 3_000_000, (batch, row) -> { });
        assertTrue(bomb.length < 100_000, "size: " + bomb.length);
        OrcFiles joined = new OrcFiles(decompressor);
        assertFalse(joined.add(0, bomb));
        assertTrue(joined.add(1, file(ONE, CompressionKind.ZSTD, new Random(1), 3)));
    }
}
