package sluice.text;

import java.util.Arrays;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.values.Settings;

/** One row as a form has it in a URL: {@code a=1&b=x%20y}. */
public final class FormDecoder extends RowDecoder<FieldCursor> {
    private final FieldRule rule;

    public FormDecoder(String columns, Settings settings) {
        super(columns, settings, FieldRule.enums("Raw"));
        rule = FieldRule.of("Raw", settings);
    }

    @Override
    protected FieldCursor open(byte[] message) {
        return new FieldCursor(message);
    }

    /** All columns, each once. */
    @Override
    protected Object[] row(FieldCursor in) {
        Object[] row = table.row();
        boolean[] seen = new boolean[table.values.length];
        for (int i = 0; i < seen.length; i++) {
            if (i > 0 && !in.is('&')) throw in.expected("'&'");
            until(in, '=');
            if (!in.is('=')) throw in.expected("'='");
            int column = table.columns.find(in, i);
            if (column < 0 || seen[column]) throw in.expected("another column");
            seen[column] = true;
            until(in, '&');
            FieldCursor field = decoded(in);
            try {
                if (mayBeNull(field)) throw field.expected("a value");
                row[column + 1] = rule.value(field, table.values[column]);
            } catch (BadValue bad) {
                throw table.wrong(bad, column, "column");
            }
            if (field.at < field.end) throw field.expected("the end of the field");
        }
        if (in.at < in.end) throw in.expected("nothing");
        return table.filled(row);
    }

    /** {@code NULL}, {@code ᴺᵁᴸᴸ} and {@code \\N} are NULL, or are not, depending on the type. */
    private static boolean mayBeNull(FieldCursor field) {
        if (field.at == field.end) return false;
        byte first = field.bytes[field.at];
        return first == '\\' || first == (byte) 0xE1 || (first | 0x20) == 'n' && field.end - field.at == "NULL".length();
    }

    private static void until(FieldCursor in, char end) {
        int from = in.at;
        while (in.at < in.end && in.bytes[in.at] != end) in.at++;
        in.slice(from, in.at);
    }

    /** What was read last, without the escapes of a URL. */
    private static FieldCursor decoded(FieldCursor in) {
        int i = in.from;
        while (i < in.to && in.bytes[i] != '%') i++;
        if (i == in.to) return new FieldCursor(in);
        byte[] out = Arrays.copyOfRange(in.bytes, in.from, in.to);
        int n = i - in.from;
        while (i < in.to) {
            byte b = in.bytes[i++];
            if (b == '%') {
                int high = i + 1 < in.to ? Character.digit(in.bytes[i], 16) : -1;
                int low = i + 1 < in.to ? Character.digit(in.bytes[i + 1], 16) : -1;
                if (high < 0 || low < 0) throw new BadValue("Cannot parse: two hexadecimal digits are expected after %");
                b = (byte) (high << 4 | low);
                i += 2;
            }
            out[n++] = b;
        }
        in.unescaped(out, n, in.at);
        return new FieldCursor(in);
    }
}
