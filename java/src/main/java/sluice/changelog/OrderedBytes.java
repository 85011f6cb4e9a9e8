package sluice.changelog;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Values as bytes that sort as the values do, and that have no other value's bytes.
 *
 * <p>A state store puts the length of bytes before them, so that only bytes of one length are in order. Numbers and
 * times of a type have one length. Text has lengths that are powers of two: it is filled up with zeros, and its own
 * length is at the end.
 */
final class OrderedBytes {
    private static final int WIDE = 16;
    private static final int SHORTEST = 8;

    private final DataType type;
    private final boolean descending;

    OrderedBytes(DataType type, boolean descending) {
        this.type = type;
        this.descending = descending;
    }

    byte[] of(Object value) {
        byte[] made;
        if (type instanceof StringType) made = filled(((UTF8String) value).getBytes());
        else if (type instanceof BinaryType) made = filled((byte[]) value);
        else if (isWide()) made = wide(((Decimal) value).toJavaBigDecimal().unscaledValue());
        else made = ByteBuffer.allocate(Long.BYTES).putLong(number(value) ^ Long.MIN_VALUE).array();
        return turned(made);
    }

    Object value(byte[] bytes) {
        byte[] given = turned(bytes.clone());
        if (type instanceof StringType) return UTF8String.fromBytes(emptied(given));
        if (type instanceof BinaryType) return emptied(given);
        if (isWide()) {
            DecimalType decimal = (DecimalType) type;
            given[0] ^= (byte) 0x80;
            scala.math.BigDecimal exact = scala.math.BigDecimal.javaBigDecimal2bigDecimal(
                new java.math.BigDecimal(new BigInteger(given), decimal.scale()));
            return Decimal.apply(exact, decimal.precision(), decimal.scale());
        }
        return typed(ByteBuffer.wrap(given).getLong() ^ Long.MIN_VALUE);
    }

    private boolean isWide() {
        return type instanceof DecimalType decimal && decimal.precision() > Decimal.MAX_LONG_DIGITS();
    }

    private byte[] turned(byte[] bytes) {
        if (descending) for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) ~bytes[i];
        return bytes;
    }

    private long number(Object value) {
        if (type instanceof BooleanType) return (boolean) value ? 1 : 0;
        if (type instanceof DecimalType) return ((Decimal) value).toUnscaledLong();
        if (type instanceof FloatType || type instanceof DoubleType) return bits(((Number) value).doubleValue());
        return ((Number) value).longValue();
    }

    private Object typed(long number) {
        if (type instanceof BooleanType) return number != 0;
        if (type instanceof ByteType) return (byte) number;
        if (type instanceof ShortType) return (short) number;
        if (type instanceof IntegerType || type instanceof DateType) return (int) number;
        if (type instanceof FloatType) return (float) Double.longBitsToDouble(flipped(number));
        if (type instanceof DoubleType) return Double.longBitsToDouble(flipped(number));
        if (type instanceof DecimalType decimal) return Decimal.apply(number, decimal.precision(), decimal.scale());
        return number; // BIGINT and times
    }

    /** The bits of a number as an integer that compares as it does: -0.0 is 0.0, and NaN the largest. */
    private static long bits(double value) {
        return flipped(Double.doubleToLongBits(value == 0 ? 0.0 : value));
    }

    private static long flipped(long bits) {
        return bits < 0 ? bits ^ Long.MAX_VALUE : bits;
    }

    private static byte[] wide(BigInteger value) {
        byte[] given = value.toByteArray();
        byte[] made = new byte[WIDE];
        if (value.signum() < 0) Arrays.fill(made, (byte) 0xff);
        System.arraycopy(given, 0, made, WIDE - given.length, given.length);
        made[0] ^= (byte) 0x80;
        return made;
    }

    private static byte[] filled(byte[] text) {
        int size = SHORTEST;
        while (size < text.length + Integer.BYTES) size = Math.multiplyExact(size, 2);
        byte[] made = Arrays.copyOf(text, size);
        ByteBuffer.wrap(made).putInt(size - Integer.BYTES, text.length);
        return made;
    }

    private static byte[] emptied(byte[] bytes) {
        return Arrays.copyOf(bytes, ByteBuffer.wrap(bytes).getInt(bytes.length - Integer.BYTES));
    }
}
