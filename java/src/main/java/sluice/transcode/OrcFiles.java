package sluice.transcode;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.protobuf.WireOutput;
import sluice.scan.BadValue;
import sluice.values.Output;

/**
 * Files of ORC joined into one that has a single stripe, without compression, since a stripe costs ClickHouse as much
 * as many rows.
 *
 * <p>No value is decoded but those that tell how many others there are. Files have one only if all but their rows
 * is equal. What is encoded otherwise, or is not exactly what it claims to be, is not joined.
 */
final class OrcFiles implements Joiner {
    /** A joined file while it grows. */
    private static final class Joined extends JoinedFile {
        private final OrcTail first;
        private final OrcColumn[] columns;
        private int rows;

        Joined(OrcTail first) {
            super("ORC");
            this.first = first;
            columns = new OrcColumn[first.types.size()];
            boolean[] inside = new boolean[columns.length];
            for (int id = 0; id < columns.length; id++) {
                int[] type = first.types.get(id);
                columns[id] = new OrcColumn(id, first.ofFooter.bytes, type[0], type[1]);
                if (inside[id] != id > 0) throw OrcChunks.bad();
                columns[id].marks(inside);
            }
        }

        boolean add(int number, OrcTail tail, OrcColumn.Scratch scratch) {
            if (tail.rows > MOST_ROWS - rows) return false;
            int[][] marks = new int[columns.length][];
            for (int id = 0; id < marks.length; id++) marks[id] = columns[id].mark();
            try {
                for (OrcStripe each : tail.stripes) {
                    int[] counts = new int[columns.length];
                    counts[0] = each.rows;
                    for (OrcColumn column : columns) column.add(each, counts, scratch);
                }
            } catch (BadValue bad) {
                for (int id = 0; id < marks.length; id++) columns[id].reset(marks[id]);
                return false;
            }
            rows += tail.rows;
            messages.add(number);
            counts.add(tail.rows);
            return true;
        }

        @Override
        byte[] bytes() {
            Output file = new Output(1 << 16), part = new Output();
            file.put(OrcTail.MAGIC);
            int begin = file.size;
            if (rows > 0) {
                for (OrcColumn each : columns) each.write(file, part);
                for (OrcColumn each : columns) each.writeEncoding(part);
                part.put(first.ofStripe.bytes, 0, first.ofStripe.size);
            }
            int data = file.size - begin, footer = part.size;
            file.put(part.bytes, 0, part.size);
            part.size = 0;
            footer(data, footer, part);
            int length = part.size;
            file.put(part.bytes, 0, part.size);
            int postscript = file.size;
            OrcColumn.number(1, length, file);
            OrcColumn.number(2, 0, file); // not compressed
            file.put(first.ofPostscript.bytes, 0, first.ofPostscript.size);
            WireOutput.key(8000, 2, file);
            WireOutput.varint(OrcTail.MAGIC.length, file);
            file.put(OrcTail.MAGIC);
            file.put(file.size - postscript);
            return file.message();
        }

        private void footer(int data, int stripeFooter, Output to) {
            OrcColumn.number(1, OrcTail.MAGIC.length, to);
            OrcColumn.number(2, OrcTail.MAGIC.length + data + stripeFooter, to);
            if (rows > 0) {
                int begin = to.size;
                OrcColumn.number(1, OrcTail.MAGIC.length, to);
                OrcColumn.number(2, 0, to);
                OrcColumn.number(3, data, to);
                OrcColumn.number(4, stripeFooter, to);
                OrcColumn.number(5, rows, to);
                WireOutput.delimit(begin, 3, to);
            }
            to.put(first.ofFooter.bytes, 0, first.ofFooter.size);
            OrcColumn.number(6, rows, to);
            OrcColumn.number(8, 0, to); // no indexes
        }
    }

    private final Map<ByteBuffer, Joined> found = new LinkedHashMap<>();
    private final Decompressor decompressor;
    private final Effort effort = new Effort();
    private final OrcColumn.Scratch scratch = new OrcColumn.Scratch(effort);

    OrcFiles(Decompressor decompressor) {
        this.decompressor = decompressor;
    }

    @Override
    public boolean add(int number, byte[] message) {
        effort.begin();
        try {
            OrcTail tail = new OrcTail(message, decompressor, effort, scratch.data);
            ByteBuffer key = ByteBuffer.wrap(tail.key());
            Joined into = found.get(key);
            if (into == null) {
                if (found.size() == MOST_FILES) return false;
                into = new Joined(tail);
            }
            if (!into.add(number, tail, scratch)) return false;
            found.put(key, into);
            return true;
        } catch (BadValue bad) { // ClickHouse tells what is wrong with it
            return false;
        }
    }

    @Override
    public Collection<? extends JoinedFile> joined() {
        return found.values();
    }
}
