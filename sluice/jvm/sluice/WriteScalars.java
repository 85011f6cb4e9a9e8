package sluice;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Values without values inside, as ClickHouse writes them. */
final class WriteScalars {
    private WriteScalars() {}

    /** A whole number that Spark holds in so many bits; in JSON perhaps in quotes. */
    static final class Whole extends Writer {
        private final int bits;
        private final boolean inQuotes;

        Whole(int bits, boolean inQuotes) {
            this.bits = bits;
            this.inQuotes = inQuotes;
        }

        @Override
        void plain(SpecializedGetters row, int at, Out out) {
            switch (bits) {
                case 8: out.put((long) row.getByte(at)); break;
                case 16: out.put((long) row.getShort(at)); break;
                case 32: out.put((long) row.getInt(at)); break;
                default: out.put(row.getLong(at));
            }
        }

        @Override
        void json(SpecializedGetters row, int at, Out out) {
            if (inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /** An exact number; zeros at its end are left out unless they are asked for. */
    static final class Exact extends Writer {
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
        void plain(SpecializedGetters row, int at, Out out) {
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
        void json(SpecializedGetters row, int at, Out out) {
            if (inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /** A floating point number: the shortest text that reads back as the same number. */
    static final class Floating extends Writer {
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
        void plain(SpecializedGetters row, int at, Out out) {
            if (small) FloatText.write(row.getFloat(at), out);
            else FloatText.write(row.getDouble(at), out);
        }

        @Override
        void json(SpecializedGetters row, int at, Out out) {
            double value = small ? row.getFloat(at) : row.getDouble(at);
            boolean finite = value - value == 0;
            if (!finite && !odd) out.put("null");
            else if (!finite || inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }

    /** True or false, in words that may be chosen where it is not JSON. */
    static final class Bool extends Writer {
        private final byte[] yes;
        private final byte[] no;

        Bool(String yes, String no) {
            this.yes = yes.getBytes(StandardCharsets.UTF_8);
            this.no = no.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        void plain(SpecializedGetters row, int at, Out out) {
            out.put(row.getBoolean(at) ? yes : no);
        }

        @Override
        void json(SpecializedGetters row, int at, Out out) {
            out.put(row.getBoolean(at) ? "true" : "false");
        }

        @Override
        void quoted(SpecializedGetters row, int at, Out out) {
            json(row, at, out);
        }
    }

    /** Any text. */
    static final class Text extends Writer {
        private final Escapes json;

        Text(Escapes json) {
            this.json = json;
        }

        @Override
        void plain(SpecializedGetters row, int at, Out out) {
            out.put(row.getUTF8String(at));
        }

        @Override
        void json(SpecializedGetters row, int at, Out out) {
            within('"', json, row, at, out);
        }

        @Override
        void key(SpecializedGetters row, int at, Out out) {
            within('"', json, row, at, out);
        }

        @Override
        void quoted(SpecializedGetters row, int at, Out out) {
            within('\'', Escapes.TAB, row, at, out);
        }

        @Override
        void escaped(SpecializedGetters row, int at, Out out) {
            int first = out.size;
            plain(row, at, out);
            Escapes.TAB.from(out, first);
        }

        @Override
        void csv(SpecializedGetters row, int at, Out out) {
            within('"', Escapes.CSV, row, at, out);
        }

        private void within(char quote, Escapes escapes, SpecializedGetters row, int at, Out out) {
            out.put(quote);
            int first = out.size;
            plain(row, at, out);
            escapes.from(out, first);
            out.put(quote);
        }
    }

    /** A text that needs no escapes, such as a UUID. */
    static final class Simple extends Writer.InQuotes {
        @Override
        void plain(SpecializedGetters row, int at, Out out) {
            out.put(row.getUTF8String(at));
        }
    }
}
