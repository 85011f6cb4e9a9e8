package sluice.parquet;

import java.math.BigDecimal;
import java.util.Arrays;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY: strings, bytes, and decimals too long for INT64.
 *
 * <p>Its pages have no statistics: the strings of a batch cover nearly the whole range, and their bounds
 * would let a reader skip nothing.
 */
final class BinaryColumn extends ColumnWriter {
    /** How a value is held in a row. */
    enum Kind { STRING, BYTES, DECIMAL }

    private final Kind kind;
    private final int precision;
    private final int scale;
    private final byte[] digits;
    private BinaryDictionary dictionary;
    private BigDecimal lowest;
    private BigDecimal highest;

    BinaryColumn(ColumnDescriptor column, Limits limits, Kind kind, int precision, int scale) {
        super(column, limits, true);
        this.kind = kind;
        this.precision = precision;
        this.scale = scale;
        this.digits = new byte[column.getPrimitiveType().getTypeLength()];
        reset();
    }

    @Override
    void put(SpecializedGetters from, int at) {
        switch (kind) {
            case STRING -> {
                UTF8String text = from.getUTF8String(at);
                int length = text.numBytes();
                if (text.getBaseObject() instanceof byte[] bytes) {
                    put(bytes, (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET), length);
                } else {
                    put(text.getBytes(), 0, length);
                }
            }
            case BYTES -> {
                byte[] bytes = from.getBinary(at);
                put(bytes, 0, bytes.length);
            }
            case DECIMAL -> {
                BigDecimal value = from.getDecimal(at, precision, scale).toJavaBigDecimal();
                lowest = lowest == null || value.compareTo(lowest) < 0 ? value : lowest;
                highest = highest == null || value.compareTo(highest) > 0 ? value : highest;
                byte[] unscaled = value.unscaledValue().toByteArray();
                int rest = digits.length - unscaled.length;
                Arrays.fill(digits, 0, rest, (byte) (unscaled[0] < 0 ? -1 : 0));
                System.arraycopy(unscaled, 0, digits, rest, unscaled.length);
                put(digits, 0, digits.length);
            }
        }
    }

    private void put(byte[] from, int at, int length) {
        if (indexed) {
            putIndex(dictionary.index(from, at, length));
            return;
        }
        if (kind != Kind.DECIMAL) {
            plain.putLowInt(length);
        }
        plain.put(from, at, length);
    }

    @Override
    Dictionary dictionary() {
        return dictionary;
    }

    @Override
    Number lowest() {
        return lowest;
    }

    @Override
    Number highest() {
        return highest;
    }

    @Override
    void reset() {
        indexed = true;
        dictionary = new BinaryDictionary(kind != Kind.DECIMAL);
    }
}
