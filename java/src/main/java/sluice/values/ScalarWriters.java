package sluice.values;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Values without values inside, as ClickHouse writes them. */
public final class ScalarWriters {
    private ScalarWriters() {}

    /** A whole number that Spark holds in so many bits; in JSON perhaps in quotes. */
    public static final class Whole extends ValueWriter {
        private final int bits;
        private final boolean inQuotes;

        public Whole(int bits, boolean inQuotes) {
            this.bits = bits;
            this.inQuotes = inQuotes;
        }

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

    /** An exact number; zeros at its end are left out unless they are asked for. */
    static final class Exact extends ValueWriter {
        private final int precision;
        private final int scale;
        private final boolean zeros;
        private final boolean inQuotes;

        Exact(int precision, int scale, boolean zeros, boolean inQuotes) {
            this.precision = precision;
            this.scale = scale;
            this.zeros = zeros;
            this.inQuotes = inQuotes;
        }

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

    /** A floating point number: the shortest text that reads back as the same number. */
    static final class Floating extends ValueWriter {
        private final boolean small;
        private final boolean inQuotes;
        private final boolean odd;

        /** {@code odd}: whether JSON has infinities and not-a-number as texts; else they are null. */
        Floating(boolean small, boolean inQuotes, boolean odd) {
            this.small = small;
            this.inQuotes = inQuotes;
            this.odd = odd;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            if (small) FloatText.write(row.getFloat(at), out);
            else FloatText.write(row.getDouble(at), out);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            double value = small ? row.getFloat(at) : row.getDouble(at);
            boolean finite = value - value == 0;
            if (!finite && !odd) out.put("null");
            else if (!finite || inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /** True or false, in words that may be chosen where it is not JSON. */
    public static final class Bool extends ValueWriter {
        private final byte[] yes;
        private final byte[] no;

        public Bool(String yes, String no) {
            this.yes = yes.getBytes(StandardCharsets.UTF_8);
            this.no = no.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(row.getBoolean(at) ? yes : no);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            out.put(row.getBoolean(at) ? "true" : "false");
        }

        @Override
        void quoted(SpecializedGetters row, int at, Output out) {
            json(row, at, out);
        }
    }

    /** Any text. */
    public static final class Text extends ValueWriter {
        private final Escapes json;

        public Text(Escapes json) {
            this.json = json;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(row.getUTF8String(at));
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            within('"', json, row, at, out);
        }

        @Override
        public void key(SpecializedGetters row, int at, Output out) {
            within('"', json, row, at, out);
        }

        @Override
        void quoted(SpecializedGetters row, int at, Output out) {
            within('\'', Escapes.TAB, row, at, out);
        }

        @Override
        public void escaped(SpecializedGetters row, int at, Output out) {
            int first = out.size;
            plain(row, at, out);
            Escapes.TAB.from(out, first);
        }

        @Override
        public void csv(SpecializedGetters row, int at, Output out) {
            within('"', Escapes.CSV, row, at, out);
        }

        private void within(char quote, Escapes escapes, SpecializedGetters row, int at, Output out) {
            out.put(quote);
            int first = out.size;
            plain(row, at, out);
            escapes.from(out, first);
            out.put(quote);
        }
    }

    /** A text that needs no escapes, such as a UUID. */
    public static final class Simple extends ValueWriter.InQuotes {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            out.put(row.getUTF8String(at));
        }
    }
}
