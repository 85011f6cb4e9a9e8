package sluice.transcode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of Arrow's own library, joined and read by it; those that are compressed are in tests/formats. */
class ArrowFilesTest {
    private final RootAllocator memory = new RootAllocator();
    private final Decompressor decompressor = new Decompressor();

    @AfterEach
    void close() {
        decompressor.close();
        memory.close();
    }

    private ListVector lists() {
        ListVector made = ListVector.empty("d", memory);
        made.addOrGetVector(FieldType.nullable(Types.MinorType.INT.getType()));
        return made;
    }

    private byte[] message(boolean file, int from, int... batches) throws Exception {
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        try (BigIntVector a = new BigIntVector("a", memory); VarCharVector b = new VarCharVector("b", memory);
            BitVector c = new BitVector("c", memory); ListVector d = lists();
            NullVector e = new NullVector("e");
            VectorSchemaRoot root = new VectorSchemaRoot(List.of(a, b, c, d, e));
            ArrowWriter writer = file ? new ArrowFileWriter(root, null, Channels.newChannel(made))
                : new ArrowStreamWriter(root, null, Channels.newChannel(made))) {
            writer.start();
            for (int count : batches) {
                root.getFieldVectors().forEach(FieldVector::reset);
                UnionListWriter lists = d.getWriter();
                for (int n = 0; n < count; n++) {
                    int value = from + n;
                    if (value % 3 > 0) a.setSafe(n, value);
                    if (value % 4 > 0) b.setSafe(n, ("text " + value).getBytes(StandardCharsets.UTF_8));
                    c.setSafe(n, value % 2);
                    lists.setPosition(n);
                    lists.startList();
                    for (int each = 0; each < value % 3; each++) lists.writeInt(each);
                    lists.endList();
                }
                root.setRowCount(count);
                writer.writeBatch();
            }
            writer.end();
        }
        return made.toByteArray();
    }

    private List<String> rows(byte[] stream) throws Exception {
        List<String> found = new ArrayList<>();
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), memory)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            while (reader.loadNextBatch()) {
                for (int n = 0; n < root.getRowCount(); n++) {
                    int row = n;
                    found.add(root.getFieldVectors().stream().map(each -> each.getObject(row)).toList().toString());
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsAreThoseOfAllMessagesInTheirOrder(boolean file) throws Exception {
        ArrowFiles joined = new ArrowFiles(file, decompressor);
        List<String> wanted = new ArrayList<>();
        int[][] batches = {{1}, {2, 0, 7}, {}, {1}, {40, 1}};
        for (int n = 0; n < batches.length; n++) {
            assertTrue(joined.add(n, message(file, 10 * n, batches[n])));
            wanted.addAll(rows(message(false, 10 * n, batches[n])));
        }
        assertFalse(joined.add(9, message(!file, 1, 1)));
        JoinedFile only = joined.joined().iterator().next();
        assertEquals(List.of(1, 9, 0, 1, 41), only.counts);
        assertEquals(wanted, rows(only.bytes()));
    }

    /** Whatever the bytes are, it is joined or not; nothing of a message that is not is left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void damagedMessages(boolean file) throws Exception {
        Random random = new Random(7);
        byte[] whole = message(file, 3, 5, 2);
        ArrowFiles joined = new ArrowFiles(file, decompressor);
        assertTrue(joined.add(1, whole));
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = i < whole.length ? Arrays.copyOf(whole, i) : whole.clone();
            for (int n = random.nextInt(3); n >= 0 && i >= whole.length; n--) {
                damaged[random.nextInt(whole.length)] = (byte) random.nextInt(256);
            }
            ArrowFiles one = new ArrowFiles(file, decompressor);
            if (one.add(0, damaged)) {
                one.joined().forEach(JoinedFile::bytes);
            } else {
                refused++;
                if (i % 100 == 0) assertFalse(joined.add(0, damaged));
            }
        }
        assertTrue(refused > 2_000, "refused: " + refused);
        assertTrue(joined.add(2, whole));
        List<String> wanted = new ArrayList<>(rows(message(false, 3, 5, 2)));
        wanted.addAll(List.copyOf(wanted));
        assertEquals(wanted, rows(joined.joined().iterator().next().bytes()));
    }

    /** A message that is small and has much in it is left to ClickHouse, which has limits. */
    @Test
    void whatIsLargeIsNotJoined() throws Exception {
        assertFalse(new ArrowFiles(false, decompressor).add(0, message(false, 0, 300_000)));
    }
}
