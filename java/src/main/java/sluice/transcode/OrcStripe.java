package sluice.transcode;

import java.util.Arrays;
import sluice.protobuf.ProtoCursor;
import sluice.values.Output;

/** A stripe of an ORC file: where its columns' streams are. */
final class OrcStripe {
    static final int PRESENT = 0, DATA = 1, LENGTH = 2, DICTIONARY_DATA = 3, SECONDARY = 5; // kinds of streams
    private static final int ROW_INDEX = 6, BLOOM_FILTER = 8, KINDS = 6;

    final int rows;
    /** By the column: its encoding, and how many entries its dictionary has. */
    final int[] encodings;
    final long[] entries;
    private final OrcChunks chunks;
    private final int[] from, to;

    OrcStripe(OrcChunks chunks, int columns, int rows) {
        this.chunks = chunks;
        this.rows = rows;
        encodings = new int[columns];
        entries = new long[columns];
        from = new int[columns * KINDS];
        to = new int[columns * KINDS];
        Arrays.fill(from, -1);
    }

    /** Read its footer; fields that all stripes of a file must share are copied. */
    void read(Output footer, int begin, int end, Output shared) {
        ProtoCursor in = new ProtoCursor(footer.bytes, 0, footer.size);
        int at = begin, column = 0;
        while (in.at < footer.size) {
            int field = in.at, key = in.key();
            switch (key >>> 3) {
                case 1: at = stream(in, in.bytesEnd(key), at, end); break;
                case 2:
                    if (column == encodings.length) throw OrcChunks.bad();
                    encoding(in, in.bytesEnd(key), column++);
                    break;
                case 3: // the writer's time zone
                    in.skip(key);
                    shared.put(footer.bytes, field, in.at - field);
                    break;
                default: throw OrcChunks.bad(); // encrypted
            }
        }
        if (column != encodings.length) throw OrcChunks.bad();
    }

    private int stream(ProtoCursor in, int fieldEnd, int at, int end) {
        long kind = 0, column = 0, length = 0;
        while (in.at < fieldEnd) {
            int key = in.key();
            switch (key >>> 3) {
                case 1: kind = in.number(key); break;
                case 2: column = in.number(key); break;
                case 3: length = in.number(key); break;
                default: throw OrcChunks.bad();
            }
        }
        boolean inside = column >= 0 && column < encodings.length && length >= 0 && length <= end - at;
        if (in.at != fieldEnd || !inside || kind < 0 || kind > BLOOM_FILTER) throw OrcChunks.bad();
        if (kind < ROW_INDEX) {
            int place = (int) column * KINDS + (int) kind;
            if (from[place] >= 0) throw OrcChunks.bad();
            from[place] = at;
            to[place] = at + (int) length;
        }
        return at + (int) length;
    }

    private void encoding(ProtoCursor in, int end, int column) {
        while (in.at < end) {
            int key = in.key();
            switch (key >>> 3) {
                case 1: encodings[column] = (int) in.number(key); break;
                case 2: entries[column] = in.number(key); break;
                default: in.skip(key);
            }
        }
        if (in.at != end) throw OrcChunks.bad();
    }

    boolean has(int column, int kind) {
        return from[column * KINDS + kind] >= 0;
    }

    /** Replace an output by a stream, which must be there. */
    void read(int column, int kind, Output into) {
        int place = column * KINDS + kind;
        if (from[place] < 0) throw OrcChunks.bad();
        chunks.read(from[place], to[place], into);
    }
}
