package sluice.transcode;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.unsafe.Platform;
import sluice.parquet.RunLengthEncoding;
import sluice.values.Output;

/**
 * One row group with the rows of all messages, whose columns have a single page: ClickHouse reads a row of it in a
 * thirtieth of the time of a row group.
 *
 * <p>Pages are decompressed, dictionaries are resolved, and values stay what they are: no type is looked at. What
 * is encoded otherwise, or is not exactly what it claims to be, is not merged.
 */
final class MergedGroup implements RowGroups {
    private static final Decompressor.Codec[] CODECS = {
        Decompressor.Codec.NONE, Decompressor.Codec.SNAPPY, Decompressor.Codec.GZIP, null, null, null,
        Decompressor.Codec.ZSTD, Decompressor.Codec.LZ4};

    private final List<ParquetColumn> columns;
    private final Decompressor decompressor;
    private final Effort effort;
    private final ParquetPage page = new ParquetPage();
    private final Output dictionary = new Output(), plain = new Output();
    private final Output described = new Output();
    private int[] numbers = new int[64], ends = new int[64];
    private int entries; // of the dictionary; -1 if there is none
    private int rows;

    /** With the columns of a schema. */
    MergedGroup(Thrift schema, Decompressor decompressor, Effort effort) {
        this.columns = ParquetColumn.of(schema);
        this.decompressor = decompressor;
        this.effort = effort;
    }

    @Override
    public int add(byte[] message, int list, int footer) {
        effort.begin();
        Thrift in = new Thrift(message, list, message.length - ParquetFiles.TAIL);
        in.type = Thrift.LIST;
        long found = 0;
        for (int left = in.structs(); left > 0; left--) {
            found += group(in, footer);
            if (found > JoinedFile.MOST_ROWS) throw Thrift.bad();
        }
        rows += (int) found;
        return (int) found;
    }

    /** Add a row group; how many rows it has. */
    private long group(Thrift in, int footer) {
        long[] told = {-1, -1}; // by the footer, and by the columns
        in.struct(id -> {
            if (id == 3) told[0] = in.number(Thrift.I64);
            if (id != 1) return;
            if (told[1] >= 0 || in.structs() != columns.size()) throw Thrift.bad();
            for (ParquetColumn each : columns) {
                long count = column(in, each, footer);
                if (told[1] >= 0 && told[1] != count) throw Thrift.bad();
                told[1] = count;
            }
        });
        if (told[0] < 0 || told[0] != told[1]) throw Thrift.bad();
        return told[0];
    }

    private long column(Thrift in, ParquetColumn into, int footer) {
        long[] found = {-1};
        in.struct(id -> {
            if (id == 1 || id == 8 || id == 9) throw Thrift.bad(); // in another file, or encrypted
            if (id != 3) return;
            in.expect(Thrift.STRUCT);
            if (found[0] >= 0) throw Thrift.bad();
            found[0] = chunk(in, into, footer);
        });
        if (found[0] < 0) throw Thrift.bad();
        return found[0];
    }

    private long chunk(Thrift in, ParquetColumn into, int footer) {
        long[] told = new long[12]; // by the numbers of fields
        Arrays.fill(told, -1);
        int[] path = {-1, -1};
        in.struct(id -> {
            switch (id) {
                case 1, 4 -> told[id] = in.size();
                case 3 -> {
                    path[0] = in.at;
                    in.skip(in.type, 0);
                    path[1] = in.at;
                }
                case 5, 7, 9, 11 -> told[id] = in.number(Thrift.I64);
                default -> { }
            }
        });
        long codec = told[4], first = told[9], dictionaryAt = told[11];
        if (path[0] < 0 || told[1] != into.type || codec < 0 || codec >= CODECS.length) throw Thrift.bad();
        Decompressor.Codec known = CODECS[(int) codec];
        if (into.path == null) into.path = Arrays.copyOfRange(in.bytes, path[0], path[1]);
        boolean named = Arrays.equals(into.path, 0, into.path.length, in.bytes, path[0], path[1]);
        long from = dictionaryAt > 0 ? Math.min(first, dictionaryAt) : first; // some write 0 where there is none
        if (known == null || !named || first < 0 || from < 4 || told[7] < 0 || told[7] > footer - from) throw Thrift.bad();
        return pages(in.bytes, (int) from, (int) (from + told[7]), known, into, told[5]);
    }

    /** Add the values of a column chunk; of how many rows they are. */
    private long pages(byte[] b, int from, int to, Decompressor.Codec codec, ParquetColumn into, long values) {
        entries = -1;
        long found = 0, rows = 0;
        for (int at = from; at < to; ) {
            Thrift in = new Thrift(b, at, to);
            page.read(in);
            int begin = in.at, end = begin + page.compressedSize;
            if (page.compressedSize > to - begin) throw Thrift.bad();
            effort.take(begin - at + (long) page.size + page.values);
            if (page.hasChecksum && page.checksum != decompressor.checksum(b, begin, end - begin)) throw Thrift.bad();
            if (page.type == ParquetPage.DICTIONARY) {
                if (at != from) throw Thrift.bad();
                dictionary(b, begin, end, codec, into);
            } else {
                rows += data(b, begin, end, codec, into, found == 0);
                found += page.values;
            }
            at = end;
        }
        if (found != values) throw Thrift.bad();
        return rows;
    }

    private void dictionary(byte[] b, int from, int to, Decompressor.Codec codec, ParquetColumn of) {
        boolean known = page.encoding == ParquetPage.PLAIN || page.encoding == ParquetPage.PLAIN_DICTIONARY;
        if (!known || of.type == ParquetColumn.BOOLEAN) throw Thrift.bad();
        dictionary.size = 0;
        if (decompressor.append(codec, b, from, to - from, dictionary, page.size) != page.size) throw Thrift.bad();
        if (ends.length < page.values) ends = new int[page.values];
        if (of.ends(dictionary.bytes, 0, page.size, page.values, ends) != page.size) throw Thrift.bad();
        entries = page.values;
    }

    /** Add a page of values; how many rows begin in it. */
    private int data(byte[] b, int from, int to, Decompressor.Codec codec, ParquetColumn into, boolean first) {
        if (numbers.length < page.values) numbers = new int[page.values];
        boolean second = page.type == ParquetPage.DATA_V2;
        if (second && (long) page.repetitions + page.definitions > Math.min(page.size, to - from)) throw Thrift.bad();
        int levels = second ? page.repetitions + page.definitions : 0;
        plain.size = 0;
        plain.put(b, from, levels);
        boolean packed = !second || page.compressed;
        int size = decompressor.append(packed ? codec : Decompressor.Codec.NONE, b, from + levels, to - from - levels,
            plain, page.size - levels);
        if (size != page.size - levels) throw Thrift.bad();
        byte[] bytes = plain.bytes;
        int at = 0, rows = page.values, present = page.values;
        if (into.highestRepetition > 0 || second) {
            int end = levelsEnd(at, page.repetitionEncoding, page.repetitions, second);
            rows = repetitions(bytes, second ? at : at + 4, end, into, first);
            at = end;
        }
        if (into.highestDefinition > 0 || second) {
            int end = levelsEnd(at, page.definitionEncoding, page.definitions, second);
            present = definitions(bytes, second ? at : at + 4, end, into);
            at = end;
        }
        if (second && (page.rows != rows || page.nulls != page.values - present)) throw Thrift.bad();
        if (present > 0) values(bytes, at, present, into);
        into.count += page.values;
        return rows;
    }

    private int levelsEnd(int at, int encoding, int told, boolean second) {
        if (second) return at + told;
        if (encoding != ParquetPage.RLE || plain.size - at < 4) throw Thrift.bad();
        int length = Platform.getInt(plain.bytes, Platform.BYTE_ARRAY_OFFSET + at);
        if (length < 0 || length > plain.size - at - 4) throw Thrift.bad();
        return at + 4 + length;
    }

    private int repetitions(byte[] b, int from, int to, ParquetColumn into, boolean first) {
        int highest = into.highestRepetition, rows = 0;
        if (highest == 0) {
            if (from != to) throw Thrift.bad();
            return page.values;
        }
        RunLengths.read(b, from, to, RunLengthEncoding.width(highest), highest, numbers, page.values);
        for (int n = 0; n < page.values; n++) rows += numbers[n] == 0 ? 1 : 0;
        if (first && page.values > 0 && numbers[0] != 0) throw Thrift.bad();
        ParquetColumn.bytes(numbers, page.values, into.repetitions);
        return rows;
    }

    private int definitions(byte[] b, int from, int to, ParquetColumn into) {
        int highest = into.highestDefinition, present = 0;
        if (highest == 0) {
            if (from != to) throw Thrift.bad();
            return page.values;
        }
        RunLengths.read(b, from, to, RunLengthEncoding.width(highest), highest, numbers, page.values);
        for (int n = 0; n < page.values; n++) present += numbers[n] == highest ? 1 : 0;
        ParquetColumn.bytes(numbers, page.values, into.definitions);
        return present;
    }

    private void values(byte[] b, int from, int present, ParquetColumn into) {
        int to = plain.size;
        switch (page.encoding) {
            case ParquetPage.PLAIN -> into.plain(b, from, to, present);
            case ParquetPage.PLAIN_DICTIONARY, ParquetPage.RLE_DICTIONARY -> {
                if (entries <= 0 || from == to) throw Thrift.bad();
                RunLengths.read(b, from + 1, to, b[from], entries - 1, numbers, present);
                for (int n = 0; n < present; n++) {
                    int begin = numbers[n] == 0 ? 0 : ends[numbers[n] - 1], size = ends[numbers[n]] - begin;
                    effort.take(size);
                    into.values.put(dictionary.bytes, begin, size);
                }
            }
            case ParquetPage.RLE -> {
                if (into.type != ParquetColumn.BOOLEAN || levelsEnd(from, ParquetPage.RLE, 0, false) != to) throw Thrift.bad();
                RunLengths.read(b, from + 4, to, 1, 1, numbers, present);
                ParquetColumn.bytes(numbers, present, into.values);
            }
            default -> throw Thrift.bad();
        }
    }

    @Override
    public int[] mark() {
        int[] mark = new int[4 * columns.size() + 1];
        int at = 0;
        for (ParquetColumn each : columns) {
            mark[at++] = each.values.size;
            mark[at++] = each.definitions.size;
            mark[at++] = each.repetitions.size;
            mark[at++] = each.count;
        }
        mark[at] = rows;
        return mark;
    }

    @Override
    public void reset(int[] mark) {
        int at = 0;
        for (ParquetColumn each : columns) {
            each.values.size = mark[at++];
            each.definitions.size = mark[at++];
            each.repetitions.size = mark[at++];
            each.count = mark[at++];
        }
        rows = mark[at];
    }

    @Override
    public int count() {
        return rows == 0 ? 0 : 1;
    }

    @Override
    public void pages(Output file) {
        file.put(ParquetFiles.MAGIC);
        described.size = 0;
        if (rows == 0) return;
        ThriftWriter group = new ThriftWriter(described);
        group.structs(1, columns.size());
        int begin = file.size;
        for (ParquetColumn each : columns) each.write(file, described);
        group.number(2, Thrift.I64, file.size - begin);
        group.number(3, Thrift.I64, rows);
        group.end();
    }

    @Override
    public Output described() {
        return described;
    }
}
