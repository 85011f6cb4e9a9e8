package sluice.functions;

import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Encoding;
import sluice.values.Output;

/** Casts between texts and what is stored for types that Spark lacks; null for what is none of the type. */
public final class EncodedScalars {
    private EncodedScalars() {}

    /** What is stored for a text, of a type that is stored as BIGINT. */
    public static Long encodedLong(UTF8String text, UTF8String type) {
        return (Long) Encoding.of(type.toString()).cast(text.getBytes());
    }

    /** The same, of a type that is stored as BINARY. */
    public static byte[] encodedBytes(UTF8String text, UTF8String type) {
        return (byte[]) Encoding.of(type.toString()).cast(text.getBytes());
    }

    /** What is stored as BIGINT for the text of a number. */
    public static Long encodedNumber(UTF8String number, UTF8String type) {
        byte[] bytes = number.getBytes();
        return (Long) Encoding.of(type.toString()).number(bytes, 0, bytes.length);
    }

    /** The text of what is stored as BIGINT. */
    public static UTF8String textOfLong(long stored, UTF8String type) {
        return text(stored, type);
    }

    /** The text of what is stored as BINARY. */
    public static UTF8String textOfBytes(byte[] stored, UTF8String type) {
        return text(stored, type);
    }

    private static UTF8String text(Object stored, UTF8String type) {
        Output out = new Output(80);
        Encoding.of(type.toString()).write(stored, out);
        return UTF8String.fromBytes(out.bytes, 0, out.size);
    }
}
