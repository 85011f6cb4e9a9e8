package sluice.transcode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.protobuf.ProtoCursor;
import sluice.protobuf.WireOutput;
import sluice.values.Output;

/** What the end of an ORC file says of it, and of its stripes. */
final class OrcTail {
    static final byte[] MAGIC = {'O', 'R', 'C'};
    private static final int MOST_STRIPES = 16, MOST_COLUMNS = 1000, MOST_OF_POSTSCRIPT = 100;
    private static final Decompressor.Codec[] CODECS = {
        Decompressor.Codec.NONE, Decompressor.Codec.DEFLATE, Decompressor.Codec.SNAPPY, null,
        Decompressor.Codec.LZ4, Decompressor.Codec.ZSTD};

    /** Fields that are the same in all files that are joined: of the postscript, the footer and that of a stripe. */
    final Output ofPostscript = new Output(32), ofFooter = new Output(), ofStripe = new Output(32);
    /** Where the columns' types are in that of the footer. */
    final List<int[]> types = new ArrayList<>();
    final List<OrcStripe> stripes = new ArrayList<>();
    final int rows;

    /** {@code part}: room for a part of the file. */
    OrcTail(byte[] file, Decompressor decompressor, Effort effort, Output part) {
        int last = file.length - 1, postscript = last - (last < 0 ? 0 : file[last] & 0xff);
        if (postscript < MAGIC.length) throw OrcChunks.bad();
        for (int n = 0; n < MAGIC.length; n++) {
            if (file[n] != MAGIC[n]) throw OrcChunks.bad();
        }
        OrcChunks chunks = postscript(file, postscript, last, decompressor, effort, part);
        List<int[]> places = new ArrayList<>();
        rows = footer(part, places);
        long counted = 0;
        for (int[] each : places) {
            OrcStripe stripe = stripe(each, file, chunks, part);
            counted += stripe.rows;
            stripes.add(stripe);
        }
        if (counted != rows) throw OrcChunks.bad();
    }

    private OrcChunks postscript(
            byte[] file, int from, int to, Decompressor decompressor, Effort effort, Output footer) {
        long length = -1, codec = -1, block = 1 << 18;
        ProtoCursor in = new ProtoCursor(file, from, to);
        while (in.at < to) {
            int begin = in.at, key = in.key();
            switch (key >>> 3) {
                case 1: length = in.number(key); break;
                case 2: codec = in.number(key); break;
                case 3: block = in.number(key); break;
                case 4: case 6: // versions of the format and of the writer
                    in.skip(key);
                    ofPostscript.put(file, begin, in.at - begin);
                    break;
                default: in.skip(key);
            }
        }
        boolean known = codec >= 0 && codec < CODECS.length && CODECS[(int) codec] != null;
        boolean inside = length >= 0 && length <= from - MAGIC.length && ofPostscript.size <= MOST_OF_POSTSCRIPT;
        if (!known || !inside) throw OrcChunks.bad();
        OrcChunks chunks = new OrcChunks(file, CODECS[(int) codec], block, decompressor, effort);
        chunks.read((int) (from - length), from, footer);
        return chunks;
    }

    /** Find the stripes; how many rows there are. */
    private int footer(Output footer, List<int[]> places) {
        long found = 0;
        ProtoCursor in = new ProtoCursor(footer.bytes, 0, footer.size);
        while (in.at < footer.size) {
            int begin = in.at, key = in.key(), id = key >>> 3;
            if (id == 3) {
                if (places.size() == MOST_STRIPES) throw OrcChunks.bad();
                places.add(place(in, in.bytesEnd(key)));
            } else if (id == 6) {
                found = in.number(key);
            } else if (id == 10) { // encrypted
                throw OrcChunks.bad();
            } else {
                if (id == 4) {
                    int end = in.bytesEnd(key), moved = ofFooter.size - begin;
                    types.add(new int[] {in.at + moved, end + moved});
                    in.at = end;
                } else {
                    in.skip(key);
                }
                if (id > 2 && id != 7 && id != 8) ofFooter.put(footer.bytes, begin, in.at - begin);
            }
        }
        if (found < 0 || found > JoinedFile.MOST_ROWS || types.isEmpty() || types.size() > MOST_COLUMNS) throw OrcChunks.bad();
        return (int) found;
    }

    /** The offset of a stripe, the lengths of its index, its data and its footer, and its rows. */
    private int[] place(ProtoCursor in, int end) {
        int[] place = new int[5];
        while (in.at < end) {
            int key = in.key(), id = key >>> 3;
            if (id < 1 || id > place.length) throw OrcChunks.bad(); // encrypted
            long number = in.number(key);
            if (number < 0 || number > Integer.MAX_VALUE) throw OrcChunks.bad();
            place[id - 1] = (int) number;
        }
        if (in.at != end) throw OrcChunks.bad();
        return place;
    }

    private OrcStripe stripe(int[] place, byte[] file, OrcChunks chunks, Output told) {
        long footer = (long) place[0] + place[1] + place[2];
        if (footer + place[3] > file.length || place[0] < MAGIC.length) throw OrcChunks.bad();
        chunks.read((int) footer, (int) footer + place[3], told);
        OrcStripe stripe = new OrcStripe(chunks, types.size(), place[4]);
        Output shared = new Output(32);
        stripe.read(told, place[0], (int) footer, shared);
        if (stripes.isEmpty()) {
            ofStripe.put(shared.bytes, 0, shared.size);
        } else if (!Arrays.equals(shared.message(), ofStripe.message())) {
            throw OrcChunks.bad();
        }
        return stripe;
    }

    /** What is equal in all files that are joined. */
    byte[] key() {
        Output key = new Output();
        for (Output each : List.of(ofPostscript, ofStripe, ofFooter)) {
            WireOutput.varint(each.size, key);
            key.put(each.bytes, 0, each.size);
        }
        return key.message();
    }
}
