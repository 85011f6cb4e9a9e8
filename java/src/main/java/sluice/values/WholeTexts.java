package sluice.values;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;

/** Values of any type as JSON strings: each has the text that the value has alone. */
final class WholeTexts {
    private static final byte[] NULL = "ᴺᵁᴸᴸ".getBytes(StandardCharsets.UTF_8);

    private WholeTexts() {}

    /** Reads a value's text; {@code NULL}, in any case, and {@code ᴺᵁᴸᴸ} are NULL. */
    static final class Reader extends ValueReader {
        private final ValueReader value;

        Reader(ValueReader value) {
            super(value.type, value.missing);
            this.value = value;
            this.nothing = value.nothing;
            this.strict = value.strict;
            this.emptyIsDefault = value.emptyIsDefault;
        }

        @Override
        public Object text(byte[] bytes, int from, int to) {
            return value.text(bytes, from, to);
        }

        @Override
        public Object json(JsonCursor in) {
            if (in.peek() != '"') {
                throw new BadValue("Cannot parse JSON string: expected opening quote before: '"
                    + BadValue.shown(in.bytes, in.at, in.end) + "'");
            }
            in.next();
            if (emptyIsDefault && in.from == in.to) return missing;
            if (!strict && isNull(in.text, in.from, in.to)) return none();
            return value.text(in.text, in.from, in.to);
        }

        private static boolean isNull(byte[] b, int from, int to) {
            if (to - from == 4) {
                return (b[from] | 0x20) == 'n' && (b[from + 1] | 0x20) == 'u' && (b[from + 2] | 0x20) == 'l'
                    && (b[from + 3] | 0x20) == 'l';
            }
            return to - from == NULL.length && Arrays.equals(b, from, to, NULL, 0, NULL.length);
        }
    }

    /** Writes a value's text. */
    record Writer(ValueWriter value, Escapes escapes) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            value.plain(row, at, out);
        }

        @Override
        public void jsonOrNull(SpecializedGetters row, int at, Output out) {
            int first = out.open('"');
            if (row.isNullAt(at)) out.put(NULL);
            else value.plain(row, at, out);
            out.close(first, escapes, '"');
        }
    }
}
