package sluice.registry;

import java.nio.ByteBuffer;
import sluice.scan.BadValue;
import sluice.values.Output;

/** What precedes a record whose schema a registry has: a zero, and the id of the schema. */
public final class SchemaId {
    /** So many bytes precede a record. */
    public static final int LENGTH = 5;

    private SchemaId() {}

    /** The id of the schema of the record that begins at a position. */
    public static int of(byte[] message, int at) {
        if (message.length <= at || message[at] != 0) {
            throw new BadValue("Unknown data format. Magic number does not match");
        }
        if (message.length - at < LENGTH) throw new BadValue("The message ends within its record");
        return ByteBuffer.wrap(message).getInt(at + 1);
    }

    public static void put(int id, Output out) {
        out.put(0);
        for (int shift = 24; shift >= 0; shift -= 8) out.put(id >>> shift);
    }
}
