package sluice.avro;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.xerial.snappy.Snappy;
import sluice.scan.BadValue;

/** How the blocks of an Avro file are compressed. */
enum Blocks {
    NULL("null") {
        @Override
        byte[] expanded(byte[] b, int from, int to, int most) {
            return Arrays.copyOfRange(b, from, to);
        }

        @Override
        byte[] packed(byte[] b, int length) {
            return Arrays.copyOf(b, length);
        }
    },
    DEFLATE("deflate") {
        @Override
        byte[] expanded(byte[] b, int from, int to, int most) throws IOException {
            Inflater inflater = new Inflater(true);
            try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(b, from, to - from), inflater)) {
                return in.readNBytes(most);
            } finally {
                inflater.end();
            }
        }

        @Override
        byte[] packed(byte[] b, int length) throws IOException {
            Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
            ByteArrayOutputStream made = new ByteArrayOutputStream();
            try (OutputStream out = new DeflaterOutputStream(made, deflater)) {
                out.write(b, 0, length);
            } finally {
                deflater.end();
            }
            return made.toByteArray();
        }
    },
    SNAPPY("snappy") {
        @Override
        byte[] expanded(byte[] b, int from, int to, int most) throws IOException {
            int length = to - from - CHECKSUM;
            if (length < 0) throw new IOException("no checksum");
            int expanded = Snappy.uncompressedLength(b, from, length);
            if (expanded < 0 || expanded > SNAPPY_RATIO * (long) length) throw new IOException("a wrong length");
            if (expanded > most) return new byte[most];
            byte[] made = new byte[expanded];
            Snappy.uncompress(b, from, length, made, 0);
            if (checksum(made, expanded) != ByteBuffer.wrap(b).getInt(to - CHECKSUM)) throw new IOException("the checksum is wrong");
            return made;
        }

        @Override
        byte[] packed(byte[] b, int length) throws IOException {
            byte[] made = new byte[Snappy.maxCompressedLength(length) + CHECKSUM];
            int size = Snappy.compress(b, 0, length, made, 0);
            ByteBuffer.wrap(made).putInt(size, checksum(b, length));
            return Arrays.copyOf(made, size + CHECKSUM);
        }
    },
    ZSTD("zstandard") {
        @Override
        byte[] expanded(byte[] b, int from, int to, int most) throws IOException {
            try (InputStream in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(b, from, to - from))) {
                return in.readNBytes(most);
            }
        }

        @Override
        byte[] packed(byte[] b, int length) throws IOException {
            ByteArrayOutputStream made = new ByteArrayOutputStream();
            try (OutputStream out = new ZstdOutputStreamNoFinalizer(made)) {
                out.write(b, 0, length);
            }
            return made.toByteArray();
        }
    };

    private static final int CHECKSUM = 4;
    private static final int SNAPPY_RATIO = 64; // at most 64 bytes for 2 or 3

    /** The name in a file. */
    final String title;

    Blocks(String title) {
        this.title = title;
    }

    /** The bytes of a block, but of larger ones no more than so many. */
    abstract byte[] expanded(byte[] b, int from, int to, int most) throws IOException;

    /** The first bytes of an array as a block. */
    abstract byte[] packed(byte[] b, int length) throws IOException;

    static Blocks named(String title) {
        for (Blocks each : values()) {
            if (each.title.equals(title)) return each;
        }
        throw new BadValue("Unknown codec of an Avro file: " + BadValue.shown(title));
    }

    /** By what ClickHouse's setting says. */
    static Blocks chosen(String setting) {
        switch (setting) {
            case "null": return NULL;
            case "deflate": return DEFLATE;
            case "zstd": return ZSTD;
            default: return SNAPPY;
        }
    }

    private static int checksum(byte[] b, int length) {
        CRC32 sum = new CRC32();
        sum.update(b, 0, length);
        return (int) sum.getValue();
    }
}
