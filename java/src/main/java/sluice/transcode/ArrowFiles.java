package sluice.transcode;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import sluice.scan.BadValue;
import sluice.values.Output;

/**
 * Streams and files of Arrow joined into a stream with one record batch, since a batch costs ClickHouse as much as
 * many rows.
 *
 * <p>Buffers are decompressed and put one after the other, offsets begin anew. No value is looked at. What is laid out
 * otherwise, or is not exactly what it claims to be, is not joined.
 */
final class ArrowFiles implements Joiner {
    private static final byte[] MAGIC = {'A', 'R', 'R', 'O', 'W', '1', 0, 0};
    private static final int TAIL = 10, HEAD = 8;

    /** A joined stream while it grows. */
    private static final class Joined extends JoinedFile {
        private final byte[] schema; // its message
        private final int fields;
        private final ArrowColumn[] columns;
        private int rows;

        Joined(ArrowSchema schema, byte[] message) {
            super("ArrowStream");
            this.schema = message;
            this.fields = schema.fields;
            columns = schema.columns.stream().map(ArrowColumn::new).toArray(ArrowColumn[]::new);
        }

        boolean add(int number, List<ArrowBatch> batches) {
            long more = batches.stream().mapToLong(each -> each.rows).sum();
            if (more > MOST_ROWS - rows) return false;
            int[][] marks = Arrays.stream(columns).map(ArrowColumn::mark).toArray(int[][]::new);
            try {
                for (ArrowBatch each : batches) add(each);
            } catch (BadValue | IndexOutOfBoundsException | IllegalArgumentException bad) {
                for (int n = 0; n < marks.length; n++) columns[n].reset(marks[n]);
                return false;
            }
            rows += (int) more;
            messages.add(number);
            counts.add((int) more);
            return true;
        }

        private void add(ArrowBatch batch) {
            int[] left = new int[columns.length + 1], wanted = new int[columns.length + 1]; // of those around a column
            int depth = 0;
            left[0] = fields;
            wanted[0] = batch.rows;
            for (ArrowColumn each : columns) {
                while (left[depth] == 0) depth--;
                left[depth]--;
                int inside = each.add(batch, wanted[depth]);
                depth++;
                left[depth] = each.of.children();
                wanted[depth] = inside;
            }
            if (!batch.atEnd()) throw ArrowSchema.bad();
        }

        @Override
        byte[] bytes() {
            Output body = new Output(1 << 16);
            List<long[]> places = new ArrayList<>();
            for (ArrowColumn each : columns) each.write(body, places);
            while (body.size % HEAD != 0) body.put(0);
            byte[] head = head(places, body.size);
            Output made = new Output(schema.length + head.length + body.size + 4 * HEAD);
            made.put(schema);
            made.putLowInt(-1);
            made.putLowInt((head.length + HEAD - 1) / HEAD * HEAD);
            made.put(head);
            while (made.size % HEAD != 0) made.put(0);
            made.put(body.bytes, 0, body.size);
            made.putLowInt(-1);
            made.putLowInt(0);
            return made.message();
        }

        private byte[] head(List<long[]> places, int size) {
            FlatBufferBuilder out = new FlatBufferBuilder();
            RecordBatch.startBuffersVector(out, places.size());
            for (int n = places.size() - 1; n >= 0; n--) Buffer.createBuffer(out, places.get(n)[0], places.get(n)[1]);
            int buffers = out.endVector();
            RecordBatch.startNodesVector(out, columns.length);
            for (int n = columns.length - 1; n >= 0; n--) FieldNode.createFieldNode(out, columns[n].count, nulls(columns[n]));
            int nodes = out.endVector();
            RecordBatch.startRecordBatch(out);
            RecordBatch.addLength(out, rows);
            RecordBatch.addNodes(out, nodes);
            RecordBatch.addBuffers(out, buffers);
            int batch = RecordBatch.endRecordBatch(out);
            Message.startMessage(out);
            Message.addVersion(out, MetadataVersion.V5);
            Message.addHeaderType(out, MessageHeader.RecordBatch);
            Message.addHeader(out, batch);
            Message.addBodyLength(out, size);
            out.finish(Message.endMessage(out));
            return out.sizedByteArray();
        }

        private static int nulls(ArrowColumn column) {
            return column.of.layout() == ArrowSchema.Layout.NULLS ? column.count : column.nulls;
        }
    }

    private final Map<ByteBuffer, Joined> found = new LinkedHashMap<>();
    private final boolean files;
    private final Decompressor decompressor;
    private final Effort effort = new Effort();
    private final Output room = new Output();

    /** Of messages that are files or streams. */
    ArrowFiles(boolean files, Decompressor decompressor) {
        this.files = files;
        this.decompressor = decompressor;
    }

    @Override
    public boolean add(int number, byte[] message) {
        effort.begin();
        try {
            return files ? addFile(number, message) : addStream(number, message, 0, message.length, null);
        } catch (BadValue | IndexOutOfBoundsException | IllegalArgumentException bad) { // ClickHouse tells what is wrong
            return false;
        }
    }

    private boolean addFile(int number, byte[] message) {
        int end = message.length - TAIL;
        if (end < MAGIC.length) return false;
        boolean begins = Arrays.equals(MAGIC, 0, MAGIC.length, message, 0, MAGIC.length);
        boolean ends = Arrays.equals(MAGIC, 0, TAIL - 4, message, end + 4, message.length);
        int size = part(message, end, message.length).getInt(0);
        if (!begins || !ends || size < 0 || size > end - MAGIC.length) return false;
        Footer footer = Footer.getRootAsFooter(part(message, end - size, end));
        if (footer.dictionariesLength() > 0) return false;
        return addStream(number, message, MAGIC.length, end - size, footer);
    }

    /** Add the messages of a stream, which are those that the footer tells of if there is one. */
    private boolean addStream(int number, byte[] bytes, int from, int to, Footer footer) {
        ArrowSchema schema = null;
        byte[] first = null;
        List<ArrowBatch> batches = new ArrayList<>();
        int at = from;
        while (at < to) {
            ByteBuffer head = part(bytes, at, to);
            if (head.getInt(0) != -1) return false;
            int size = head.getInt(4), begin = at + HEAD;
            if (size == 0) {
                if (begin != to) return false;
                break;
            }
            if (size < 0 || size > to - begin) return false;
            effort.take(HEAD + size);
            Message message = Message.getRootAsMessage(part(bytes, begin, begin + size));
            long length = message.bodyLength();
            int body = begin + size, version = message.version();
            boolean known = version == MetadataVersion.V5 || version == MetadataVersion.V4;
            if (!known || length < 0 || length > to - body) return false;
            if (schema == null) {
                if (message.headerType() != MessageHeader.Schema || length != 0) return false;
                schema = new ArrowSchema((Schema) message.header(new Schema()), effort);
                first = Arrays.copyOfRange(bytes, at, body);
            } else {
                if (message.headerType() != MessageHeader.RecordBatch) return false;
                if (footer != null && !isBlock(footer, batches.size(), at, HEAD + size, length)) return false;
                RecordBatch batch = (RecordBatch) message.header(new RecordBatch());
                batches.add(new ArrowBatch(batch, bytes, body, (int) length, decompressor, effort, room));
            }
            at = body + (int) length;
        }
        if (schema == null) return false;
        byte[] key = schema.key();
        if (footer != null) {
            if (footer.recordBatchesLength() != batches.size()) return false;
            if (!Arrays.equals(key, new ArrowSchema(footer.schema(), effort).key())) return false;
        }
        ByteBuffer wanted = ByteBuffer.wrap(key);
        Joined into = found.get(wanted);
        if (into == null) {
            if (found.size() == MOST_FILES) return false;
            into = new Joined(schema, first);
        }
        if (!into.add(number, batches)) return false;
        found.put(wanted, into);
        return true;
    }

    private static boolean isBlock(Footer footer, int n, int offset, int head, long body) {
        if (n >= footer.recordBatchesLength()) return false;
        Block block = footer.recordBatches(n);
        return block.offset() == offset && block.metaDataLength() == head && block.bodyLength() == body;
    }

    private static ByteBuffer part(byte[] bytes, int from, int to) {
        return ByteBuffer.wrap(bytes, from, to - from).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public Collection<? extends JoinedFile> joined() {
        return found.values();
    }
}
