package sluice.transcode;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.xerial.snappy.Snappy;
import sluice.scan.BadValue;
import sluice.values.Output;

/** Decompresses small blocks by contexts that are created once: creating one takes longer than most blocks. */
final class Decompressor implements AutoCloseable {
    enum Codec { NONE, SNAPPY, DEFLATE, GZIP, LZ4, LZ4_FRAME, ZSTD }

    private static final LZ4SafeDecompressor LZ4 = LZ4Factory.fastestInstance().safeDecompressor();
    private static final XXHash32 HASH = XXHashFactory.fastestJavaInstance().hash32();
    private static final int FRAME = 0x184d2204, FRAME_HEAD = 11;
    private static final int GZIP_HEAD = 10, GZIP_TAIL = 8;
    private static final byte[] GZIP_BEGIN = {0x1f, (byte) 0x8b, 8, 0}; // deflated, without a name or the like

    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private ZstdDecompressCtx zstd;

    /** Append a block to an output, if it has no more than so many bytes; how many it has. */
    int append(Codec codec, byte[] in, int from, int length, Output to, int most) {
        to.room(most);
        try {
            int size = decompress(codec, in, from, length, to, most);
            to.size += size;
            return size;
        } catch (IOException | DataFormatException | LZ4Exception | ZstdException wrong) {
            throw bad();
        }
    }

    private int decompress(Codec codec, byte[] in, int from, int length, Output to, int most)
            throws IOException, DataFormatException {
        switch (codec) {
            case NONE:
                if (length > most) throw bad();
                System.arraycopy(in, from, to.bytes, to.size, length);
                return length;
            case SNAPPY:
                int size = Snappy.uncompressedLength(in, from, length);
                if (size < 0 || size > most) throw bad();
                return Snappy.uncompress(in, from, length, to.bytes, to.size);
            case DEFLATE:
                int inflated = inflate(in, from, length, to, most);
                if (inflater.getRemaining() != 0) throw bad();
                return inflated;
            case GZIP: return gunzip(in, from, length, to, most);
            case LZ4_FRAME: return frame(in, from, length, to, most);
            case LZ4: return LZ4.decompress(in, from, length, to.bytes, to.size, most);
            default:
                if (zstd == null) zstd = new ZstdDecompressCtx();
                return zstd.decompressByteArray(to.bytes, to.size, most, in, from, length);
        }
    }

    private int inflate(byte[] in, int from, int length, Output to, int most) throws DataFormatException {
        inflater.reset();
        inflater.setInput(in, from, length);
        int size = inflater.inflate(to.bytes, to.size, most);
        if (!inflater.finished() && inflater.inflate(new byte[1]) > 0) throw bad();
        if (!inflater.finished()) throw bad();
        return size;
    }

    private int gunzip(byte[] in, int from, int length, Output to, int most) throws DataFormatException {
        if (length < GZIP_HEAD + GZIP_TAIL) throw bad();
        for (int n = 0; n < GZIP_BEGIN.length; n++) {
            if (in[from + n] != GZIP_BEGIN[n]) throw bad();
        }
        int size = inflate(in, from + GZIP_HEAD, length - GZIP_HEAD, to, most);
        if (inflater.getRemaining() != GZIP_TAIL) throw bad();
        ByteBuffer tail = ByteBuffer.wrap(in, from + length - GZIP_TAIL, GZIP_TAIL).order(ByteOrder.LITTLE_ENDIAN);
        if (tail.getInt() != checksum(to.bytes, to.size, size) || tail.getInt() != size) throw bad();
        return size;
    }

    /** A frame of LZ4 that has a single block, without checksums of what is in it. */
    private static int frame(byte[] in, int from, int length, Output to, int most) {
        ByteBuffer head = ByteBuffer.wrap(in, from, length).slice().order(ByteOrder.LITTLE_ENDIAN);
        if (length < FRAME_HEAD || head.getInt() != FRAME) throw bad();
        int flags = head.get() & 0xff, largest = head.get() & 0xff;
        boolean sized = (flags & 8) != 0;
        if ((flags & ~0x28) != 0x40 || (largest & 0x8f) != 0 || largest >> 4 < 4) throw bad();
        if (sized && (length < FRAME_HEAD + 8 || head.getLong() < 0)) throw bad();
        int described = head.position() - 4;
        if ((HASH.hash(in, from + 4, described, 0) >> 8 & 0xff) != (head.get() & 0xff)) throw bad();
        int size = 0, block = head.remaining() < 4 ? 0 : head.getInt();
        if (block != 0) {
            int stored = block & Integer.MAX_VALUE, at = from + head.position();
            int room = Math.min(most, 1 << 8 + 2 * (largest >> 4));
            if (stored > head.remaining() - 4) throw bad();
            if (block < 0) {
                if (stored > room) throw bad();
                System.arraycopy(in, at, to.bytes, to.size, stored);
                size = stored;
            } else {
                size = LZ4.decompress(in, at, stored, to.bytes, to.size, room);
            }
            head.position(head.position() + stored);
            if (head.getInt() != 0) throw bad();
        }
        if (head.hasRemaining() || sized && ByteBuffer.wrap(in, from + 6, 8).order(ByteOrder.LITTLE_ENDIAN).getLong() != size) throw bad();
        return size;
    }

    /** The CRC-32 of bytes. */
    int checksum(byte[] bytes, int from, int length) {
        checksum.reset();
        checksum.update(bytes, from, length);
        return (int) checksum.getValue();
    }

    private static BadValue bad() {
        return new BadValue("A block is not compressed as it claims to be");
    }

    @Override
    public void close() {
        inflater.end();
        if (zstd != null) zstd.close();
    }
}
