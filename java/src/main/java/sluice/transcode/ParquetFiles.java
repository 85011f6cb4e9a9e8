package sluice.transcode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import sluice.scan.BadValue;
import sluice.values.Output;

/**
 * Files of Parquet joined into one with the row groups of all, since a file costs ClickHouse more than a row group.
 *
 * <p>Files have one only if all but their rows is equal: the schema with whatever else describes the whole file.
 */
final class ParquetFiles implements Joiner {
    static final byte[] MAGIC = {'P', 'A', 'R', '1'};
    static final int TAIL = 8;

    /** A joined file while it grows. */
    private static final class Joined extends JoinedFile {
        private final byte[] first;
        private final List<int[]> fields; // of the footer, but rows and row groups: id, type, from, to
        private final RowGroups groups;
        private long rows;

        Joined(byte[] first, List<int[]> fields, RowGroups groups) {
            super("Parquet");
            this.first = first;
            this.fields = fields;
            this.groups = groups;
        }

        @Override
        byte[] bytes() {
            Output file = new Output(1 << 16);
            groups.pages(file);
            int begin = file.size;
            ThriftWriter footer = new ThriftWriter(file);
            boolean written = false;
            for (int[] each : fields) {
                if (!written && each[0] > 4) written = rows(footer);
                footer.raw(each[0], each[1], first, each[2], each[3]);
            }
            if (!written) rows(footer);
            footer.end();
            file.putLowInt(file.size - begin);
            file.put(MAGIC);
            return file.message();
        }

        private boolean rows(ThriftWriter footer) {
            footer.number(3, Thrift.I64, rows);
            footer.structs(4, groups.count());
            footer.out.put(groups.described().bytes, 0, groups.described().size);
            return true;
        }
    }

    private final Map<ByteBuffer, Joined> found = new LinkedHashMap<>();
    private final Function<Thrift, RowGroups> groups;

    /** What row groups become, by the schema of their files. */
    ParquetFiles(Function<Thrift, RowGroups> groups) {
        this.groups = groups;
    }

    @Override
    public boolean add(int number, byte[] message) {
        try {
            int body = body(message);
            List<int[]> fields = new ArrayList<>();
            int[] place = {-1, -1};
            Output key = new Output();
            Thrift in = new Thrift(message, body, message.length - TAIL);
            in.struct(id -> {
                int type = in.type, from = in.at;
                in.skip(type, 0);
                if (id == 2) place[0] = from;
                if (id == 4) place[1] = from;
                if (id == 8 || id == 9) throw Thrift.bad(); // encrypted
                if (id == 3 || id == 4) return;
                fields.add(new int[] {id, type, from, in.at});
                key.putLowInt(id << 4 | type);
                key.put(message, from, in.at - from);
            });
            if (place[0] < 0 || place[1] < 0) return false;
            ByteBuffer wanted = ByteBuffer.wrap(key.message());
            Joined into = found.get(wanted);
            if (into == null) {
                if (found.size() == MOST_FILES) return false;
                Thrift schema = new Thrift(message, place[0], message.length - TAIL);
                into = new Joined(message, fields, groups.apply(schema));
            }
            if (!add(into, number, message, place[1], body)) return false;
            found.put(wanted, into);
            return true;
        } catch (BadValue bad) { // ClickHouse tells what is wrong with it
            return false;
        }
    }

    private static boolean add(Joined into, int number, byte[] message, int list, int body) {
        int[] mark = into.groups.mark();
        try {
            int rows = into.groups.add(message, list, body);
            if (rows <= JoinedFile.MOST_ROWS - into.rows) {
                into.rows += rows;
                into.counts.add(rows);
                into.messages.add(number);
                return true;
            }
        } catch (BadValue bad) {
            into.groups.reset(mark);
            throw bad;
        }
        into.groups.reset(mark);
        return false;
    }

    @Override
    public Collection<? extends JoinedFile> joined() {
        return found.values();
    }

    /** How many bytes are before the footer. */
    private static int body(byte[] message) {
        int end = message.length - TAIL;
        if (end < MAGIC.length) throw Thrift.bad();
        for (int i = 0; i < MAGIC.length; i++) {
            if (message[i] != MAGIC[i] || message[end + 4 + i] != MAGIC[i]) throw Thrift.bad();
        }
        int footer = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getInt(end);
        if (footer < 0 || footer > end - MAGIC.length) throw Thrift.bad();
        return end - footer;
    }
}
