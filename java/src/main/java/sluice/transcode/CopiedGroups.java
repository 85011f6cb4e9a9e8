package sluice.transcode;

import sluice.values.Output;

/** Row groups with the pages of the messages as they are, whatever their encoding and compression. */
final class CopiedGroups implements RowGroups {
    private final Output file = new Output();
    private final Output groups = new Output();
    private int count;

    @Override
    public int add(byte[] message, int list, int footer) {
        Thrift in = new Thrift(message, list, message.length - ParquetFiles.TAIL);
        in.type = Thrift.LIST;
        long[] rows = {0};
        for (int left = in.structs(); left > 0; left--) {
            ThriftWriter out = new ThriftWriter(groups);
            in.struct(id -> {
                int type = in.type, begin = in.at;
                if (id == 1) {
                    int columns = in.structs();
                    out.structs(1, columns);
                    for (int n = 0; n < columns; n++) column(in, out, file.size, footer);
                } else if (id == 3) {
                    long found = in.number(Thrift.I64);
                    if (found < 0 || found > JoinedFile.MOST_ROWS - rows[0]) throw Thrift.bad();
                    rows[0] += found;
                    out.number(3, Thrift.I64, found);
                } else if (id == 2) {
                    in.skip(type, 0);
                    out.raw(id, type, message, begin, in.at);
                }
            });
            out.end();
            count++;
        }
        file.put(message, 0, footer);
        return (int) rows[0];
    }

    private static void column(Thrift in, ThriftWriter group, int before, int footer) {
        ThriftWriter out = new ThriftWriter(group.out);
        in.struct(id -> {
            if (id == 2) {
                out.number(2, Thrift.I64, in.number(Thrift.I64) + before); // nothing reads it
            } else if (id == 3) {
                in.expect(Thrift.STRUCT);
                out.head(3, Thrift.STRUCT);
                chunk(in, out, before, footer);
            } else if (id == 1 || id == 8 || id == 9) { // in another file, or encrypted
                throw Thrift.bad();
            }
        });
        out.end();
    }

    /** Where the pages of a column are, which must be in this message; without statistics and indexes. */
    private static void chunk(Thrift in, ThriftWriter column, int before, int footer) {
        ThriftWriter out = new ThriftWriter(column.out);
        long[] size = {-1, -1};
        in.struct(id -> {
            int type = in.type, begin = in.at;
            if (id == 9 || id == 11) {
                long place = in.number(Thrift.I64);
                if (place < 0 || place > footer) throw Thrift.bad();
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
        if (size[0] < 0 || size[1] < 0 || size[1] > footer - size[0]) throw Thrift.bad();
    }

    @Override
    public int[] mark() {
        return new int[] {file.size, groups.size, count};
    }

    @Override
    public void reset(int[] mark) {
        file.size = mark[0];
        groups.size = mark[1];
        count = mark[2];
    }

    @Override
    public void pages(Output into) {
        into.put(file.bytes, 0, file.size); // the first begins as every file does
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public Output described() {
        return groups;
    }
}
