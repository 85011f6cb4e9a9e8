package sluice.avro;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/** Writes a value of a column in Avro's binary encoding. */
interface ColumnWriter {
    void write(SpecializedGetters row, int at, Output out);

    /** A number, as an int or a long. */
    static void number(long number, Output out) {
        long left = number << 1 ^ number >> 63;
        out.room(10);
        while ((left & ~0x7FL) != 0) {
            out.bytes[out.size++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        out.bytes[out.size++] = (byte) left;
    }

    /** Bytes after their length. */
    static void bytes(byte[] bytes, Output out) {
        number(bytes.length, out);
        out.put(bytes);
    }

    /** The lowest bytes of a number, the highest of them first. */
    static void highestFirst(long number, int length, Output out) {
        for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) out.put((int) (number >> shift));
    }

    /** The lowest bytes of a number, the lowest of them first. */
    static void lowestFirst(long number, int length, Output out) {
        for (int shift = 0; shift < 8 * length; shift += 8) out.put((int) (number >> shift));
    }
}
