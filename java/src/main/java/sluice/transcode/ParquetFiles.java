package sluice.transcode;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.scan.BadValue;
import sluice.values.Output;

/**
 * Files of Parquet joined into one with the row groups of all, since a file costs ClickHouse more than a row group.
 *
 * <p>Nothing of a file is decoded but its footer, whose offsets become those in the joined file. Files have
 * one only if all but their rows is equal: the schema with whatever else describes the whole file.
 */
final class ParquetFiles {
    private static final byte[] MAGIC = {'P', 'A', 'R', '1'};
    private static final int TAIL = 8;

    /** A joined file while it grows; where each message's rows are. */
    static final class Joined {
        private final byte[] first;
        private final List<int[]> fields; // of the footer, but rows and row groups: id, type, from, to
        private final Output file = new Output();
        private final Output groups = new Output();
        private int count;
        private long rows;
        final List<Integer> messages = new ArrayList<>();
        final List<Integer> counts = new ArrayList<>();

        private Joined(byte[] first, List<int[]> fields) {
            this.first = first;
            this.fields = fields;
        }

        byte[] bytes() {
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
            footer.structs(4, count);
            file.put(groups.bytes, 0, groups.size);
            return true;
        }
    }

    private final Map<ByteBuffer, Joined> found = new LinkedHashMap<>();

    /** Join a message with those before it; whether it can be. */
    boolean add(int number, byte[] message) {
        Joined into = null;
        int size = 0, groups = 0, count = 0;
        try {
            int body = body(message);
            List<int[]> fields = new ArrayList<>();
            int[] place = {-1};
            Output key = new Output();
            Thrift in = new Thrift(message, body, message.length - TAIL);
            in.struct(id -> {
                int type = in.type, from = in.at;
                in.skip(type, 0);
                if (id == 4) place[0] = from;
                if (id == 8 || id == 9) throw Thrift.bad(); // encrypted
                if (id == 3 || id == 4) return;
                fields.add(new int[] {id, type, from, in.at});
                key.putLowInt(id << 4 | type);
                key.put(message, from, in.at - from);
            });
            if (place[0] < 0) return false;
            into = found.computeIfAbsent(ByteBuffer.wrap(key.message()), none -> new Joined(message, fields));
            size = into.file.size;
            groups = into.groups.size;
            count = into.count;
            into.counts.add(groups(into, message, place[0], body));
            into.messages.add(number);
            into.file.put(message, 0, body);
            return true;
        } catch (BadValue bad) { // ClickHouse tells what is wrong with it
            if (into != null) {
                into.file.size = size;
                into.groups.size = groups;
                into.count = count;
            }
            return false;
        }
    }

    Collection<Joined> joined() {
        return found.values();
    }

    /** How many bytes are before the footer. */
    private static int body(byte[] message) {
        int end = message.length - TAIL;
        if (end < MAGIC.length) throw Thrift.bad();
        for (int i = 0; i < MAGIC.length; i++) {
            if (message[i] != MAGIC[i] || message[end + 4 + i] != MAGIC[i]) throw Thrift.bad();
        }
        int footer = ByteBuffer.wrap(message).order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt(end);
        if (footer < 0 || footer > end - MAGIC.length) throw Thrift.bad();
        return end - footer;
    }

    private static int groups(Joined into, byte[] message, int from, int body) {
        Thrift in = new Thrift(message, from, message.length - TAIL);
        in.type = Thrift.LIST;
        long[] rows = {0};
        for (int left = in.structs(); left > 0; left--) {
            ThriftWriter out = new ThriftWriter(into.groups);
            in.struct(id -> {
                int type = in.type, begin = in.at;
                if (id == 1) {
                    int columns = in.structs();
                    out.structs(1, columns);
                    for (int n = 0; n < columns; n++) column(in, out, into.file.size, body);
                } else if (id == 3) {
                    long count = in.number(Thrift.I64);
                    if (count < 0 || count > Integer.MAX_VALUE - rows[0]) throw Thrift.bad();
                    rows[0] += count;
                    out.number(3, Thrift.I64, count);
                } else if (id == 2) {
                    in.skip(type, 0);
                    out.raw(id, type, message, begin, in.at);
                }
            });
            out.end();
            into.count++;
        }
        into.rows += rows[0];
        return (int) rows[0];
    }

    private static void column(Thrift in, ThriftWriter group, int before, int body) {
        ThriftWriter out = new ThriftWriter(group.out);
        in.struct(id -> {
            if (id == 2) {
                out.number(2, Thrift.I64, in.number(Thrift.I64) + before); // nothing reads it
            } else if (id == 3) {
                in.expect(Thrift.STRUCT);
                out.head(3, Thrift.STRUCT);
                chunk(in, out, before, body);
            } else if (id == 1 || id == 8 || id == 9) { // in another file, or encrypted
                throw Thrift.bad();
            }
        });
        out.end();
    }

    /** Where the pages of a column are, which must be in this message; without statistics and indexes. */
    private static void chunk(Thrift in, ThriftWriter column, int before, int body) {
        ThriftWriter out = new ThriftWriter(column.out);
        long[] size = {-1, -1};
        in.struct(id -> {
            int type = in.type, begin = in.at;
            if (id == 9 || id == 11) {
                long place = in.number(Thrift.I64);
                if (place < 0 || place > body) throw Thrift.bad();
                if (id == 11 && place == 0) return; // some write it where there is none
                size[0] = size[0] < 0 ? place : Math.min(size[0], place);
                out.number(id, Thrift.I64, place + before);
            } else if (id == 7) {
                size[1] = in.number(Thrift.I64);
                out.number(id, Thrift.I64, size[1]);
            } else if (id <= 6) {
                in.skip(type, 0);
                out.raw(id, type, in.bytes, begin, in.at);
            }
        });
        out.end();
        if (size[0] < 0 || size[1] < 0 || size[1] > body - size[0]) throw Thrift.bad();
    }
}
