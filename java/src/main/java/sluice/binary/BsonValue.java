package sluice.binary;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.binary.BsonCursor.Kind;
import sluice.scan.BadValue;
import sluice.values.Output;

/** How values of one type are fields of BSON. */
abstract class BsonValue extends TaggedValue<BsonCursor> {
    private static final byte[][] NUMBERS = new byte[256][];

    static {
        for (int i = 0; i < NUMBERS.length; i++) NUMBERS[i] = name(Integer.toString(i));
    }

    private final Kind kind;

    /** {@code kind}: of what is written. */
    BsonValue(String type, Kind kind, Object zero) {
        super(type, zero);
        this.kind = kind;
    }

    /** A name with the zero at its end. */
    static byte[] name(String name) {
        return (name + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** The name of an array's element. */
    static byte[] name(int number) {
        return number < NUMBERS.length ? NUMBERS[number] : name(Integer.toString(number));
    }

    /** The value of the field that was read last, inside of another value. */
    final Object read(BsonCursor in) {
        return in.kind == Kind.NULL ? none() : held(in);
    }

    /** Write a field; one that is NULL and cannot be is the default. */
    final void put(byte[] name, SpecializedGetters row, int at, Output out) {
        boolean none = isNull(row, at);
        out.put(none ? Kind.NULL.code : kind.code);
        out.put(name);
        if (!none) writeAny(row, at, out);
    }

    final BadValue wrong(BsonCursor in) {
        return new BadValue("Cannot insert BSON " + in.kind.called + " into column with type " + type);
    }

    /** Binary data of the subtype that was read last. */
    final BadValue wrongSubtype(BsonCursor in) {
        return new BadValue("Cannot insert BSON Binary subtype " + BsonValues.SUBTYPES.get(in.subtype)
            + " into column with type " + type);
    }

    /** Begin a document; where that is. */
    static int open(Output out) {
        out.putLowInt(0);
        return out.size - Integer.BYTES;
    }

    /** End a document, and put its length where it begins. */
    static void close(int first, Output out) {
        out.put(0);
        out.setLowInt(first, out.size - first);
    }

    /** Write what precedes so many bytes of data. */
    static void binary(int length, int subtype, Output out) {
        out.putLowInt(length);
        out.put(subtype);
    }
}
