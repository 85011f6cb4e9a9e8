package sluice.values;

import java.math.BigDecimal;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Values without values inside, as ClickHouse writes them. */
public final class ScalarWriters {
    private ScalarWriters() {}

    /** An integer that Spark holds in so many bits; in JSON perhaps in quotes. */
    public record IntValue(int bits, boolean inQuotes) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            switch (bits) {
                case 8: out.put((long) row.getByte(at)); break;
                case 16: out.put((long) row.getShort(at)); break;
                case 32: out.put((long) row.getInt(at)); break;
                default: out.put(row.getLong(at));
            }
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            if (inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /** A decimal; its trailing zeros are left out unless {@code zeros} is set. */
    record DecimalValue(int precision, int scale, boolean zeros, boolean inQuotes) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            var decimal = row.getDecimal(at, precision, scale);
            if (scale == 0 && decimal.precision() <= 18) {
                out.put(decimal.toUnscaledLong());
                return;
            }
            BigDecimal number = decimal.toJavaBigDecimal();
            String text = number.toPlainString();
            int end = text.length();
            if (!zeros && number.scale() > 0) {
                while (text.charAt(end - 1) == '0') end--;
                if (text.charAt(end - 1) == '.') end--;
            }
            out.put(text.substring(0, end));
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            if (inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /**
     * A floating point number: the shortest text that reads back as the same number. In JSON infinities
     * and NaN are strings if {@code denormals} is set, else null. Nowhere else has NaN a sign.
     */
    record Floating(boolean small, boolean inQuotes, boolean denormals) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            if (small) FloatText.write(row.getFloat(at), out);
            else FloatText.write(row.getDouble(at), out);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            double value = small ? row.getFloat(at) : row.getDouble(at);
            boolean finite = value - value == 0;
            if (!finite && !denormals) out.put("null");
            else if (value != value && Double.doubleToRawLongBits(value) < 0) out.put("\"-nan\"");
            else if (!finite || inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /** A boolean, in words that may be chosen where it is not JSON. */
    public record Bool(byte[] yes, byte[] no) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(row.getBoolean(at) ? yes : no);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            out.put(row.getBoolean(at) ? "true" : "false");
        }

        @Override
        public void quoted(SpecializedGetters row, int at, Output out) {
            json(row, at, out);
        }
    }

    /** Any string. */
    public record Text(Escapes escapes) implements ValueWriter.Escaped {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(row.getUTF8String(at));
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            key(row, at, out);
        }
    }

    /** A string that needs no escapes, such as a UUID. */
    static final ValueWriter.InQuotes UNESCAPED = (row, at, out) -> out.put(row.getUTF8String(at));
}
