package sluice.parquet;

import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/** A column of INT32, INT64, FLOAT or DOUBLE: numbers, short decimals, dates, timestamps. */
final class NumberColumn extends ColumnWriter {
    /** How a number is held in a row. */
    enum Kind { BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, DECIMAL }

    private final Kind kind;
    private final int width;
    private final int precision;
    private final int scale;
    private NumberDictionary dictionary;
    private long low = Long.MAX_VALUE;
    private long high = Long.MIN_VALUE;
    private double least = Double.POSITIVE_INFINITY;
    private double most = Double.NEGATIVE_INFINITY;
    private boolean hasNaN;

    /** The bounds of the whole file; unknown if it has a NaN. */
    private Number lowest;
    private Number highest;
    private boolean unknown;

    NumberColumn(ColumnDescriptor column, Limits limits, Kind kind, int width, int precision, int scale) {
        super(column, limits, true);
        this.kind = kind;
        this.width = width;
        this.precision = precision;
        this.scale = scale;
        reset();
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
        if (indexed) {
            putIndex(dictionary.index(value));
        } else if (width == 4) {
            plain.putLowInt((int) value);
        } else {
            plain.putLowLong(value);
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
        hasNaN |= value != value;
        least = Math.min(least, value);
        most = Math.max(most, value);
    }

    @Override
    Dictionary dictionary() {
        return dictionary;
    }

    @Override
    Statistics<?> statistics() {
        Statistics<?> found = noStatistics();
        if (!hasNaN) {
            Statistics.Builder known = Statistics.getBuilderForReading(column.getPrimitiveType());
            if (present > 0) {
                boolean real = kind == Kind.FLOAT || kind == Kind.DOUBLE;
                known.withMin(bytes(real ? bits(least) : low)).withMax(bytes(real ? bits(most) : high));
                widen(real);
            }
            found = known.withNumNulls(levels - present).build();
        }
        unknown |= hasNaN;
        low = Long.MAX_VALUE;
        high = Long.MIN_VALUE;
        least = Double.POSITIVE_INFINITY;
        most = Double.NEGATIVE_INFINITY;
        hasNaN = false;
        return found;
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
        Output out = new Output(width);
        out.putLow(value, width);
        return out.message();
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
    void reset() {
        indexed = true;
        dictionary = new NumberDictionary(width);
    }
}
