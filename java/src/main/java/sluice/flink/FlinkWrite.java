package sluice.flink;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Base64;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.scan.BadValue;
import sluice.values.Escapes;
import sluice.values.Output;
import sluice.values.ScalarWriters;
import sluice.values.TimeWriters;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;

/** Values as Flink's text formats write them. */
final class FlinkWrite {
    private static final int FIRST = (int) LocalDate.of(0, 1, 1).toEpochDay();
    private static final int LAST = (int) LocalDate.of(9999, 12, 31).toEpochDay();
    private static final ValueWriter.InQuotes BASE64 =
        (row, at, out) -> out.put(Base64.getEncoder().encode(row.getBinary(at)));
    private static final ValueWriter.InQuotes DAY = (row, at, out) -> day(row.getInt(at), out);
    private static final ValueWriter.InQuotes TIME = FlinkWrite::time;
    private static final ValueWriter MILLIS =
        (row, at, out) -> out.put(Math.floorDiv(row.getLong(at), 1000L));

    private FlinkWrite() {}

    /**
     * The writer of a type without values inside.
     *
     * <p>{@code iso}: timestamps have a T between day and time; {@code plain}: decimals have no exponent.
     */
    static ValueWriter scalar(TypeSpec type, boolean iso, boolean plain) {
        switch (type.kind()) {
            case "whole": return new ScalarWriters.IntValue(type.bits(), false);
            case "floating": return new Floating(type.bits() == 32);
            case "exact": return new DecimalValue(type.precision(), type.scale(), plain);
            case "bool": return new ScalarWriters.Bool("true".getBytes(), "false".getBytes());
            case "nothing":
            case "text": return new ScalarWriters.Text(Escapes.JACKSON);
            case "bytes": return BASE64;
            case "day": return DAY;
            case "clock": return TIME;
            case "local": return new Moment(iso, false);
            case "instant": return new Moment(iso, true);
            case "interval":
                return type.json().get("months").asBoolean() ? new ScalarWriters.IntValue(32, false) : MILLIS;
            default: throw type.unknown();
        }
    }

    /** A floating point number as Java writes it; NaN and infinities are strings in JSON. */
    record Floating(boolean small) implements ValueWriter {
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

        /** A number with at most 6 decimal places is written without searching for its shortest text. */
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

    /** A decimal, with an exponent where Java would write one, or {@code plain} with all its zeros. */
    record DecimalValue(int precision, int scale, boolean plain) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            BigDecimal number = row.getDecimal(at, precision, scale).toJavaBigDecimal();
            out.put(plain ? number.toPlainString() : number.stripTrailingZeros().toString());
        }
    }

    /** {@code 2020-01-31}; years of other than four digits have a sign. */
    private static void day(int day, Output out) {
        if (day >= FIRST && day <= LAST) TimeWriters.day(day, out);
        else out.put(LocalDate.ofEpochDay(day).toString());
    }

    /** {@code 12:30:00.5}: no trailing zeros in a fraction. */
    private static void time(SpecializedGetters row, int at, Output out) {
        out.put(row.getUTF8String(at));
        if (row.getUTF8String(at).numBytes() <= 8) return;
        while (out.bytes[out.size - 1] == '0') out.size--;
        if (out.bytes[out.size - 1] == '.') out.size--;
    }

    /** {@code 2020-01-31 12:30:00.5}, perhaps with a T between and a Z at the end. */
    record Moment(boolean iso, boolean zoned) implements ValueWriter.InQuotes {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            long micros = row.getLong(at);
            long second = Math.floorDiv(micros, FlinkTimes.MICROS);
            int fraction = (int) Math.floorMod(micros, FlinkTimes.MICROS);
            day((int) Math.floorDiv(second, 86_400L), out);
            out.put(iso ? 'T' : ' ');
            TimeWriters.time((int) Math.floorMod(second, 86_400L), out);
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

    /** A JSON object; a NULL key fails, is dropped, or is a literal, as {@code map-null-key.mode} has it. */
    record MapValue(ValueWriter key, ValueWriter value, String mode, String literal) implements ValueWriter {
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
                if (none) nullKey(out);
                else key.key(keys, i, out);
                out.put(':');
                value.jsonOrNull(values, i, out);
            }
            out.put('}');
        }

        private void nullKey(Output out) {
            if (!mode.equals("LITERAL")) {
                throw new BadValue("JSON format doesn't support to serialize map data with null keys. "
                    + "You can drop null key entries or encode null in literals by specifying "
                    + "map-null-key.mode option.");
            }
            int first = out.open('"');
            out.put(literal.getBytes(StandardCharsets.UTF_8));
            out.close(first, Escapes.JACKSON, '"');
        }
    }
}
