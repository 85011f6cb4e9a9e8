package sluice.parquet;

import java.math.BigDecimal;
import java.util.Arrays;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column of texts, of bytes, or of decimals that are too long for a number.
 *
 * <p>Of its pages nothing is said: in the texts of a batch nearly everything occurs, and their ends
 * would let a reader skip nothing.
 */
final class TextPages extends Pages {
    /** How a value is held in a row. */
    enum Kind { TEXT, BYTES, DECIMAL }

    private final Kind kind;
    private final int precision;
    private final int scale;
    private final byte[] digits;
    private TextIds ids;
    private BigDecimal lowest;
    private BigDecimal highest;

    TextPages(ColumnDescriptor column, Form form, Kind kind, int precision, int scale) {
        super(column, form, true);
        this.kind = kind;
        this.precision = precision;
        this.scale = scale;
        this.digits = new byte[column.getPrimitiveType().getTypeLength()];
        renew();
    }

    @Override
    void put(SpecializedGetters from, int at) {
        switch (kind) {
            case TEXT -> {
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
        if (numbered) {
            id(ids.id(from, at, length));
            return;
        }
        if (kind != Kind.DECIMAL) {
            plain.putInt(length);
        }
        plain.put(from, at, length);
    }

    @Override
    int dictionarySize() {
        return ids.bytes.size;
    }

    @Override
    int dictionaryCount() {
        return ids.size;
    }

    @Override
    Bytes dictionary() {
        return ids.bytes;
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
    void renew() {
        numbered = true;
        ids = new TextIds(kind != Kind.DECIMAL);
    }
}
