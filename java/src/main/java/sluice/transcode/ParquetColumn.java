package sluice.transcode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.parquet.RunLengthEncoding;
import sluice.values.Output;

/** A column of a joined Parquet file: the plain values of all messages with their levels. */
final class ParquetColumn {
    static final int BOOLEAN = 0, BYTE_ARRAY = 6;
    private static final int[] WIDTHS = {1, 4, 8, 12, 4, 8, 0, 0}; // of types; booleans are a byte each here
    private static final int DEPTH = 32, MOST = 1000;
    private static final byte[] ENCODINGS = {2 << 4 | Thrift.I32, ParquetPage.PLAIN, ParquetPage.RLE << 1};

    final int type;
    /** Of a value in bytes; 0 if each tells its own. */
    final int width;
    final int highestDefinition, highestRepetition;
    final Output values = new Output(32);
    final Output definitions = new Output(16), repetitions = new Output(16); // a byte each
    /** Its name as the first message has it. */
    byte[] path;
    /** With NULLs. */
    int count;

    private ParquetColumn(int type, int length, int highestDefinition, int highestRepetition) {
        if (type < 0 || type >= WIDTHS.length || type > BYTE_ARRAY && length <= 0) throw Thrift.bad();
        this.type = type;
        this.width = type > BYTE_ARRAY ? length : WIDTHS[type];
        this.highestDefinition = highestDefinition;
        this.highestRepetition = highestRepetition;
    }

    /** The columns of a schema, which is a list of its elements, those that have others before these. */
    static List<ParquetColumn> of(Thrift in) {
        List<ParquetColumn> found = new ArrayList<>();
        int[] left = new int[DEPTH], definition = new int[DEPTH], repetition = new int[DEPTH];
        int depth = -1;
        in.type = Thrift.LIST;
        int elements = in.structs();
        for (int n = 0; n < elements; n++) {
            int[] field = {-1, -1, 0, 0, 0, 0}; // by its number
            in.struct(id -> {
                if (id <= 5 && id != 4 && id > 0) field[id] = in.size();
            });
            if (n > 0 && depth < 0) throw Thrift.bad();
            int above = n == 0 ? 0 : definition[depth], repeated = n == 0 ? 0 : repetition[depth];
            if (n > 0) {
                left[depth]--;
                if (field[3] > 2) throw Thrift.bad();
                if (field[3] != 0) above++;
                if (field[3] == 2) repeated++;
            }
            if (n == 0 || field[5] > 0) {
                if (++depth == DEPTH) throw Thrift.bad();
                left[depth] = field[5];
                definition[depth] = above;
                repetition[depth] = repeated;
            } else {
                if (found.size() == MOST) throw Thrift.bad();
                found.add(new ParquetColumn(field[1], field[2], above, repeated));
            }
            while (depth >= 0 && left[depth] == 0) depth--;
        }
        if (depth >= 0 || found.isEmpty()) throw Thrift.bad();
        return found;
    }

    /** Add so many values of which each is plain; all of the bytes. */
    void plain(byte[] b, int from, int to, int count) {
        if (type == BOOLEAN) {
            if (to - from != (count + 7) / 8) throw Thrift.bad();
            values.room(count);
            for (int n = 0; n < count; n++) values.put(b[from + n / 8] >> n % 8 & 1);
            return;
        }
        if (ends(b, from, to, count, null) != to) throw Thrift.bad();
        values.put(b, from, to - from);
    }

    /** Where plain values end, and each of them if it is asked for. */
    int ends(byte[] b, int from, int to, int count, int[] each) {
        int at = from;
        for (int n = 0; n < count; n++) {
            int length = width;
            if (width == 0) {
                if (to - at < 4) throw Thrift.bad();
                length = b[at] & 0xff | (b[at + 1] & 0xff) << 8 | (b[at + 2] & 0xff) << 16 | b[at + 3] << 24;
                at += 4;
            }
            if (length < 0 || length > to - at) throw Thrift.bad();
            at += length;
            if (each != null) each[n] = at;
        }
        return at;
    }

    /** Add numbers as a byte each. */
    static void bytes(int[] numbers, int count, Output to) {
        to.room(count);
        for (int n = 0; n < count; n++) to.bytes[to.size++] = (byte) numbers[n];
    }

    /** Put the only page, and what the footer tells of it. */
    void write(Output file, Output footer) {
        Output page = new Output(values.size + 64);
        levels(repetitions, highestRepetition, page);
        levels(definitions, highestDefinition, page);
        if (type == BOOLEAN) {
            packed(page);
        } else {
            page.put(values.bytes, 0, values.size);
        }
        int begin = file.size;
        ParquetPage.write(file, page.size, count);
        file.put(page.bytes, 0, page.size);
        ThriftWriter chunk = new ThriftWriter(footer);
        chunk.number(2, Thrift.I64, begin);
        chunk.head(3, Thrift.STRUCT);
        ThriftWriter told = new ThriftWriter(footer);
        told.number(1, Thrift.I32, type);
        told.raw(2, Thrift.LIST, ENCODINGS, 0, ENCODINGS.length);
        told.raw(3, Thrift.LIST, path, 0, path.length);
        told.number(4, Thrift.I32, 0);
        told.number(5, Thrift.I64, count);
        told.number(6, Thrift.I64, file.size - begin);
        told.number(7, Thrift.I64, file.size - begin);
        told.number(9, Thrift.I64, begin);
        told.end();
        chunk.end();
    }

    private static void levels(Output levels, int highest, Output page) {
        if (highest == 0) return;
        int[] numbers = new int[levels.size];
        for (int n = 0; n < numbers.length; n++) numbers[n] = levels.bytes[n];
        int at = page.size;
        page.putLowInt(0);
        RunLengthEncoding.put(numbers, numbers.length, RunLengthEncoding.width(highest), page);
        page.setLowInt(at, page.size - at - 4);
    }

    private void packed(Output page) {
        int begin = page.size, bytes = (values.size + 7) / 8;
        page.room(bytes);
        page.size += bytes;
        Arrays.fill(page.bytes, begin, page.size, (byte) 0);
        for (int n = 0; n < values.size; n++) page.bytes[begin + n / 8] |= (byte) (values.bytes[n] << n % 8);
    }
}
