package sluice.transcode;

import sluice.values.Output;

/** The head of a page of a Parquet file. */
final class ParquetPage {
    static final int DATA = 0, DICTIONARY = 2, DATA_V2 = 3; // types
    static final int PLAIN = 0, PLAIN_DICTIONARY = 2, RLE = 3, RLE_DICTIONARY = 8; // encodings

    int type;
    /** Of what follows the head, which has levels too. */
    int size, compressedSize;
    int values;
    int encoding;
    boolean compressed;
    boolean hasChecksum;
    int checksum;
    /** Of levels, if there are any. */
    int definitionEncoding, repetitionEncoding;
    /** Of a page of the second version: bytes of levels, rows and NULLs. */
    int definitions, repetitions, rows, nulls;

    /** Read a head, which is followed by the page. */
    void read(Thrift in) {
        type = size = compressedSize = values = encoding = -1;
        definitionEncoding = repetitionEncoding = RLE;
        definitions = repetitions = rows = nulls = -1;
        compressed = true;
        hasChecksum = false;
        int[] body = {-1};
        in.struct(id -> {
            switch (id) {
                case 1 -> type = in.size();
                case 2 -> size = in.size();
                case 3 -> compressedSize = in.size();
                case 4 -> {
                    hasChecksum = true;
                    checksum = (int) in.number(Thrift.I32);
                }
                case 5 -> body[0] = read(in, DATA);
                case 7 -> body[0] = read(in, DICTIONARY);
                case 8 -> body[0] = read(in, DATA_V2);
                default -> { }
            }
        });
        if (type < 0 || body[0] != type || size < 0 || compressedSize < 0 || values < 0) throw Thrift.bad();
        if (type == DATA_V2 && (definitions < 0 || repetitions < 0 || nulls < 0 || rows < 0)) throw Thrift.bad();
    }

    /** What only pages of a type have. */
    private int read(Thrift in, int of) {
        in.expect(Thrift.STRUCT);
        in.struct(id -> {
            switch (id) {
                case 1 -> values = in.size();
                case 2 -> {
                    if (of == DATA_V2) nulls = in.size();
                    else encoding = in.size();
                }
                case 3 -> {
                    if (of == DATA_V2) rows = in.size();
                    else if (of == DATA) definitionEncoding = in.size();
                }
                case 4 -> {
                    if (of == DATA_V2) encoding = in.size();
                    else repetitionEncoding = in.size();
                }
                case 5 -> {
                    if (of == DATA_V2) definitions = in.size();
                }
                case 6 -> {
                    if (of == DATA_V2) repetitions = in.size();
                }
                case 7 -> {
                    if (of == DATA_V2) compressed = in.type != Thrift.FALSE;
                }
                default -> { }
            }
        });
        return of;
    }

    /** Write the head of a page of plain values. */
    static void write(Output to, int size, int values) {
        ThriftWriter page = new ThriftWriter(to);
        page.number(1, Thrift.I32, DATA);
        page.number(2, Thrift.I32, size);
        page.number(3, Thrift.I32, size);
        page.head(5, Thrift.STRUCT);
        ThriftWriter data = new ThriftWriter(to);
        data.number(1, Thrift.I32, values);
        data.number(2, Thrift.I32, PLAIN);
        data.number(3, Thrift.I32, RLE);
        data.number(4, Thrift.I32, RLE);
        data.end();
        page.end();
    }
}
