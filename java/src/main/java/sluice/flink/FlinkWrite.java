package sluice.flink;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Base64;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.Decimal;
import sluice.scan.BadValue;
import sluice.values.Escapes;
import sluice.values.Output;
import sluice.values.TimeWriters;
import sluice.values.ValueWriter;

/** Values as Flink writes them, where that is not how ClickHouse does. */
final class FlinkWrite {
    private FlinkWrite() {}

    /** A floating point number in Java's words; what is none is a text in JSON. */
    static final class Floating extends ValueWriter {
        private final boolean small;

        Floating(boolean small) {
            this.small = small;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            if (small) out.put(Float.toString(row.getFloat(at)));
            else text(row.getDouble(at), out);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            double value = small ? row.getFloat(at) : row.getDouble(at);
            if (value - value != 0) key(row, at, out);
            else plain(row, at, out);
        }

        /** A number in JSON. */
        static void json(double value, Output out) {
            if (value - value != 0) out.put('"');
            text(value, out);
            if (value - value != 0) out.put('"');
        }

        /** What has at most 6 digits behind its point is written without searching for them. */
        static void text(double value, Output out) {
            double size = Math.abs(value);
            if (size >= 1e-3 && size < 1e7) {
                long scaled = Math.round(size * 1e6);
                if (scaled / 1e6 == size) {
                    if (value < 0) out.put('-');
                    out.put(scaled / 1_000_000);
                    out.put('.');
                    int digits = (int) (scaled % 1_000_000);
                    int width = 6;
                    while (width > 1 && digits % 10 == 0) {
                        digits /= 10;
                        width--;
                    }
                    out.padded(digits, width);
                    return;
                }
            }
            out.put(Double.toString(value));
        }
    }

    /** An exact number, with an exponent where Java would write one, or without and with all zeros. */
    static final class Exact extends ValueWriter {
        private final int precision;
        private final int scale;
        private final boolean plain;

        Exact(int precision, int scale, boolean plain) {
            this.precision = precision;
            this.scale = scale;
            this.plain = plain;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            Decimal decimal = row.getDecimal(at, precision, scale);
            BigDecimal number = decimal.toJavaBigDecimal();
            out.put(plain ? number.toPlainString() : number.stripTrailingZeros().toString());
        }
    }

    /** Bytes as Base64. */
    static final class Bytes extends ValueWriter.InQuotes {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(Base64.getEncoder().encode(row.getBinary(at)));
        }
    }

    /** {@code 2020-01-31}; years of other than four digits have a sign. */
    static final class Day extends ValueWriter.InQuotes {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            day(row.getInt(at), out);
        }
    }

    static void day(int day, Output out) {
        if (day >= FIRST && day <= LAST) TimeWriters.day(day, out);
        else out.put(LocalDate.ofEpochDay(day).toString());
    }

    private static final int FIRST = (int) LocalDate.of(0, 1, 1).toEpochDay();
    private static final int LAST = (int) LocalDate.of(9999, 12, 31).toEpochDay();

    /** {@code 12:30:00.5}: no zeros at the end of a fraction. */
    static final class Clock extends ValueWriter.InQuotes {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(row.getUTF8String(at));
            if (row.getUTF8String(at).numBytes() <= 8) return;
            while (out.bytes[out.size - 1] == '0') out.size--;
            if (out.bytes[out.size - 1] == '.') out.size--;
        }
    }

    /** {@code 2020-01-31 12:30:00.5}, perhaps with a T between and a Z behind. */
    static final class Moment extends ValueWriter.InQuotes {
        private final boolean iso;
        private final boolean zoned;

        Moment(boolean iso, boolean zoned) {
            this.iso = iso;
            this.zoned = zoned;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            long micros = row.getLong(at);
            long second = Math.floorDiv(micros, FlinkTimes.MICROS);
            int fraction = (int) Math.floorMod(micros, FlinkTimes.MICROS);
            day((int) Math.floorDiv(second, 86_400L), out);
            out.put(iso ? 'T' : ' ');
            FlinkTimes.second((int) Math.floorMod(second, 86_400L), out);
            if (fraction > 0) {
                int width = 6;
                while (fraction % 10 == 0) {
                    fraction /= 10;
                    width--;
                }
                out.put('.');
                out.padded(fraction, width);
            }
            if (zoned) out.put('Z');
        }
    }

    /** A length of time as milliseconds. */
    static final class Millis extends ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(Math.floorDiv(row.getLong(at), 1000L));
        }
    }

    /** A JSON object; a key that is NULL is an error, left out, or a text that stands for it. */
    static final class Pairs extends ValueWriter {
        private final ValueWriter key;
        private final ValueWriter value;
        private final String mode;
        private final byte[] literal;

        Pairs(ValueWriter key, ValueWriter value, String mode, String literal) {
            this.key = key;
            this.value = value;
            this.mode = mode;
            this.literal = literal.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            MapData map = row.getMap(at);
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            int count = map.numElements();
            out.put('{');
            boolean first = true;
            for (int i = 0; i < count; i++) {
                boolean none = keys.isNullAt(i);
                if (none && mode.equals("DROP")) continue;
                if (!first) out.put(',');
                first = false;
                if (none) noKey(out);
                else key.key(keys, i, out);
                out.put(':');
                value.jsonOrNull(values, i, out);
            }
            out.put('}');
        }

        private void noKey(Output out) {
            if (!mode.equals("LITERAL")) {
                throw new BadValue("JSON format doesn't support to serialize map data with null keys. "
                    + "You can drop null key entries or encode null in literals by specifying "
                    + "map-null-key.mode option.");
            }
            out.put('"');
            int first = out.size;
            out.put(literal);
            Escapes.JACKSON.from(out, first);
            out.put('"');
        }
    }
}
