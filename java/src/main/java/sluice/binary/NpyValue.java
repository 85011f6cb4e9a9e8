package sluice.binary;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;

/** Values in a file of NumPy that RowBinary lays out otherwise: without a length before them. */
abstract class NpyValue extends BinaryValue {
    NpyValue(String type, long bytes) {
        super(type, Math.toIntExact(bytes), null);
    }

    @Override
    void write(SpecializedGetters row, int at, Output out) {
        throw new UnsupportedOperationException(type);
    }

    /** So many items. */
    static final class ArrayValue extends NpyValue {
        private final BinaryValue item;
        private final int count;

        ArrayValue(BinaryValue item, int count) {
            super(item.type, (long) item.least * count);
            this.item = item;
            this.count = count;
        }

        @Override
        Object read(BinaryCursor in) {
            Object[] found = new Object[count];
            for (int i = 0; i < count; i++) found[i] = item.read(in);
            return new GenericArrayData(found);
        }
    }

    /** A text of so many bytes, of which ClickHouse leaves out those that are zero. */
    static final class Text extends NpyValue {
        Text(String type, long bytes) {
            super(type, bytes);
        }

        @Override
        Object read(BinaryCursor in) {
            int from = in.take(least);
            byte[] found = new byte[least];
            int length = 0;
            for (int i = from; i < in.at; i++) {
                if (in.bytes[i] != 0) found[length++] = in.bytes[i];
            }
            return UTF8String.fromBytes(found, 0, length);
        }
    }

    /** A FixedString, of whose bytes the file may have fewer. */
    static final class Filled extends NpyValue {
        private final int length;

        Filled(String type, long bytes, int length) {
            super(type, bytes);
            this.length = length;
        }

        @Override
        Object read(BinaryCursor in) {
            byte[] found = new byte[length];
            System.arraycopy(in.bytes, in.take(least), found, 0, least);
            return UTF8String.fromBytes(found);
        }
    }
}
