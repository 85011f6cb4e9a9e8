package sluice.transcode;

import sluice.scan.BadValue;
import sluice.values.Output;

/** Parts of an ORC file, which are compressed in chunks that have a head of three bytes. */
final class OrcChunks {
    private static final int HEAD = 3, MOST = 1 << 20;

    private final byte[] file;
    private final Decompressor.Codec codec;
    private final int block;
    private final Decompressor decompressor;
    private final Effort effort;

    /** {@code block}: the bytes of a chunk at most. */
    OrcChunks(byte[] file, Decompressor.Codec codec, long block, Decompressor decompressor, Effort effort) {
        this.file = file;
        this.codec = codec;
        this.block = (int) Math.min(MOST, block);
        this.decompressor = decompressor;
        this.effort = effort;
        if (block < 0) throw bad();
    }

    /** Replace an output by a part of the file. */
    void read(int from, int to, Output into) {
        into.size = 0;
        if (codec == Decompressor.Codec.NONE) {
            effort.take(to - from);
            into.put(file, from, to - from);
            return;
        }
        int at = from;
        while (at < to) {
            if (to - at < HEAD) throw bad();
            int head = file[at] & 0xff | (file[at + 1] & 0xff) << 8 | (file[at + 2] & 0xff) << 16;
            int length = head >>> 1;
            at += HEAD;
            if (length > to - at) throw bad();
            boolean original = (head & 1) != 0;
            if (original) effort.take(length);
            int size = decompressor.append(original ? Decompressor.Codec.NONE : codec, file, at, length,
                into, original ? length : block);
            effort.take(original ? HEAD : HEAD + size);
            at += length;
        }
    }

    static BadValue bad() {
        return new BadValue("It is no file of ORC that can be joined");
    }
}
