package sluice;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** A format whose messages have bytes before them that say nothing; a shorter message is empty. */
public final class Skipping implements Decoder {
    private final Decoder decoder;
    private final int bytes;

    public Skipping(Decoder decoder, int bytes) {
        this.decoder = decoder;
        this.bytes = bytes;
    }

    @Override
    public ArrayData decode(byte[] message) {
        int from = Math.min(bytes, message.length);
        return decoder.decode(Arrays.copyOfRange(message, from, message.length));
    }
}
