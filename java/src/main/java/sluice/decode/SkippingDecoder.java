package sluice.decode;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.scan.BadValue;

/** A format whose messages have a prefix that is not read; a message shorter than that is bad. */
public final class SkippingDecoder implements Decoder {
    private final Decoder decoder;
    private final int bytes;
    private final int columns;

    public SkippingDecoder(Decoder decoder, int bytes, int columns) {
        this.decoder = decoder;
        this.bytes = bytes;
        this.columns = columns;
    }

    @Override
    public ArrayData decode(byte[] message) {
        if (message.length < bytes) {
            return new BadValue("The message has " + message.length
                + " bytes, fewer than kafka_schema_registry_skip_bytes = " + bytes).row(columns);
        }
        return decoder.decode(Arrays.copyOfRange(message, bytes, message.length));
    }
}
