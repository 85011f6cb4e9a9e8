package sluice.parquet;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** A column of numbers of four or eight bytes: whole ones, real ones, days, moments. */
final class LongPages extends Pages {
    /** How a number is held in a row. */
    enum Kind { BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, DECIMAL }

    private final Kind kind;
    private final int width;
    private final int precision;
    private final int scale;
    private LongIds ids = new LongIds();
    private long low = Long.MAX_VALUE;
    private long high = Long.MIN_VALUE;
    private double least = Double.POSITIVE_INFINITY;
    private double most = Double.NEGATIVE_INFINITY;
    private boolean strange;

    /** Of the whole file: the lowest and the highest value, or nothing if it cannot be said. */
    private Number lowest;
    private Number highest;
    private boolean unknown;

    LongPages(ColumnDescriptor column, Form form, Kind kind, int width, int precision, int scale) {
        super(column, form, true);
        this.kind = kind;
        this.width = width;
        this.precision = precision;
        this.scale = scale;
    }

    @Override
    void put(SpecializedGetters from, int at) {
        long value = switch (kind) {
            case BYTE -> from.getByte(at);
            case SHORT -> from.getShort(at);
            case INT -> from.getInt(at);
            case LONG -> from.getLong(at);
            case DECIMAL -> from.getDecimal(at, precision, scale).toUnscaledLong();
            case FLOAT -> real(from.getFloat(at));
            case DOUBLE -> real(from.getDouble(at));
        };
        low = Math.min(low, value);
        high = Math.max(high, value);
        if (numbered) {
            id(ids.id(value));
        } else if (width == 4) {
            plain.putInt((int) value);
        } else {
            plain.putLong(value);
        }
    }

    private long real(float value) {
        bound(value);
        return Float.floatToRawIntBits(value);
    }

    private long real(double value) {
        bound(value);
        return Double.doubleToRawLongBits(value);
    }

    private void bound(double value) {
        strange |= value != value;
        least = Math.min(least, value);
        most = Math.max(most, value);
    }

    @Override
    int dictionarySize() {
        return ids.size * width;
    }

    @Override
    int dictionaryCount() {
        return ids.size;
    }

    @Override
    Bytes dictionary() {
        Bytes values = new Bytes();
        for (int n = 0; n < ids.size; n++) {
            values.put(ids.get(n), width);
        }
        return values;
    }

    @Override
    Statistics<?> said() {
        Statistics<?> said = unsaid();
        if (!strange) {
            Statistics.Builder known = Statistics.getBuilderForReading(column.getPrimitiveType());
            if (present > 0) {
                boolean real = kind == Kind.FLOAT || kind == Kind.DOUBLE;
                known.withMin(bytes(real ? bits(least) : low)).withMax(bytes(real ? bits(most) : high));
                widen(real);
            }
            said = known.withNumNulls(levels - present).build();
        }
        unknown |= strange;
        low = Long.MAX_VALUE;
        high = Long.MIN_VALUE;
        least = Double.POSITIVE_INFINITY;
        most = Double.NEGATIVE_INFINITY;
        strange = false;
        return said;
    }

    private void widen(boolean real) {
        if (real) {
            lowest = lowest == null ? least : Math.min(lowest.doubleValue(), least);
            highest = highest == null ? most : Math.max(highest.doubleValue(), most);
        } else {
            lowest = lowest == null ? low : Math.min(lowest.longValue(), low);
            highest = highest == null ? high : Math.max(highest.longValue(), high);
        }
    }

    private long bits(double value) {
        return width == 4 ? Float.floatToRawIntBits((float) value) : Double.doubleToRawLongBits(value);
    }

    private byte[] bytes(long value) {
        byte[] bytes = new byte[width];
        for (int n = 0; n < width; n++) {
            bytes[n] = (byte) (value >>> (8 * n));
        }
        return bytes;
    }

    @Override
    Number lowest() {
        return unknown ? null : lowest;
    }

    @Override
    Number highest() {
        return unknown ? null : highest;
    }

    @Override
    void renew() {
        numbered = true;
        ids = new LongIds();
    }
}
