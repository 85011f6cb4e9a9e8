package sluice.transcode;

import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.spark.unsafe.Platform;
import sluice.values.Output;

/** A record batch of a message of Arrow, whose nodes and buffers are taken one after the other. */
final class ArrowBatch {
    private static final int LENGTH = 8;

    final Effort effort;
    final int rows;
    /** The NULLs of the node that was taken last. */
    int nulls;
    /** The buffer that was taken last. */
    byte[] bytes;
    int from;
    private final RecordBatch batch;
    private final byte[] message;
    private final int body, bodyLength;
    private final Decompressor decompressor;
    private final Decompressor.Codec codec;
    private final Output room;
    private final FieldNode reusedNode = new FieldNode();
    private final Buffer reusedBuffer = new Buffer();
    private int nextNode, nextBuffer, place;

    /** With the body at a place of a message, and room for a buffer without compression. */
    ArrowBatch(RecordBatch batch, byte[] message, int body, int bodyLength,
            Decompressor decompressor, Effort effort, Output room) {
        if (batch == null) throw ArrowSchema.bad();
        this.batch = batch;
        this.message = message;
        this.body = body;
        this.bodyLength = bodyLength;
        this.decompressor = decompressor;
        this.effort = effort;
        this.room = room;
        BodyCompression compression = batch.compression();
        if (compression == null) {
            codec = Decompressor.Codec.NONE;
        } else {
            if (compression.method() != BodyCompressionMethod.BUFFER) throw ArrowSchema.bad();
            codec = switch (compression.codec()) {
                case CompressionType.LZ4_FRAME -> Decompressor.Codec.LZ4_FRAME;
                case CompressionType.ZSTD -> Decompressor.Codec.ZSTD;
                default -> throw ArrowSchema.bad();
            };
        }
        if (batch.variadicBufferCountsLength() != 0) throw ArrowSchema.bad();
        rows = size(batch.length());
    }

    private static int size(long number) {
        if (number < 0 || number > JoinedFile.MOST_ROWS) throw ArrowSchema.bad();
        return (int) number;
    }

    /** Take the node of a column; how many values it has. */
    int node() {
        if (nextNode >= batch.nodesLength()) throw ArrowSchema.bad();
        FieldNode node = batch.nodes(reusedNode, nextNode++);
        int values = size(node.length());
        nulls = size(node.nullCount());
        if (nulls > values) throw ArrowSchema.bad();
        return values;
    }

    /** Take a buffer, which has so many bytes at least. */
    void buffer(long least) {
        long length = skipBuffer();
        bytes = message;
        from = place;
        if (codec != Decompressor.Codec.NONE && length > 0) length = decompressed((int) length);
        if (length < least) throw ArrowSchema.bad();
        effort.take(least);
    }

    /** Skip a buffer that means nothing; how many bytes it has. */
    long skipBuffer() {
        if (nextBuffer >= batch.buffersLength()) throw ArrowSchema.bad();
        Buffer buffer = batch.buffers(reusedBuffer, nextBuffer++);
        long offset = buffer.offset(), length = buffer.length();
        if (offset < 0 || length < 0 || offset > bodyLength || length > bodyLength - offset) throw ArrowSchema.bad();
        place = body + (int) offset;
        return length;
    }

    private long decompressed(int length) {
        if (length < LENGTH) throw ArrowSchema.bad();
        long size = Platform.getLong(message, Platform.BYTE_ARRAY_OFFSET + from);
        from += LENGTH;
        if (size == -1) return length - LENGTH; // as it is
        effort.take(size);
        room.size = 0;
        if (decompressor.append(codec, message, from, length - LENGTH, room, (int) size) != size) throw ArrowSchema.bad();
        bytes = room.bytes;
        from = 0;
        return size;
    }

    /** Whether all was taken. */
    boolean atEnd() {
        return nextNode == batch.nodesLength() && nextBuffer == batch.buffersLength();
    }
}
