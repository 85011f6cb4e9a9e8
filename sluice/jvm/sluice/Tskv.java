package sluice;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Lines of {@code name=value} with tabs between them. */
final class Tskv extends RowDecoder<Fields> {
    private static final byte[] WORD = "tskv".getBytes(StandardCharsets.US_ASCII);

    private final boolean skipUnknown;
    private final boolean emptyIsDefault;
    private final byte[] nothing;

    Tskv(Table table, Settings settings) {
        super(table, settings);
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
        emptyIsDefault = settings.flag("input_format_tsv_empty_as_default");
        nothing = settings.text("format_tsv_null_representation").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    Fields open(byte[] message) {
        return new Fields(message);
    }

    @Override
    boolean begin(Fields in) {
        in.skipMark();
        if (in.at == in.end) {
            throw new BadValue("Unexpected end of stream while reading key name from TSKV format");
        }
        return true;
    }

    @Override
    boolean more(Fields in, boolean first) {
        return in.at < in.end;
    }

    @Override
    Object[] row(Fields in) {
        Object[] row = table.row();
        if (in.is('\n')) return table.filled(row);
        boolean[] seen = new boolean[table.values.length];
        int column = -1;
        boolean first = true;
        do {
            Tabs.escaped(in, false, (byte) '=');
            if (!in.is('=')) {
                boolean word = first && Arrays.equals(WORD, 0, 4, in.text, in.from, in.to);
                if (!word) throw new BadValue("Found field without value while parsing TSKV format: "
                    + BadValue.shown(in.text, in.from, in.to));
                first = false;
                continue;
            }
            first = false;
            column = table.columns.find(in, column + 1);
            if (column >= 0 && seen[column]) {
                throw new BadValue("Duplicate field found while parsing TSKV format: "
                    + table.names.get(column));
            }
            if (column >= 0) {
                seen[column] = true;
                row[column + 1] = value(in, column);
            } else {
                if (!skipUnknown) throw new BadValue("Unknown field found while parsing TSKV format: "
                    + BadValue.shown(in.text, in.from, in.to));
                Tabs.escaped(in, false, (byte) '\t');
            }
        } while (in.is('\t'));
        if (in.at < in.end && !in.is('\n')) throw in.expected("'\\t' or '\\n'");
        return table.filled(row);
    }

    private Object value(Fields in, int column) {
        Value value = table.values[column];
        try {
            int first = in.at;
            Tabs.escaped(in, false, (byte) '\t');
            if (Arrays.equals(in.bytes, first, in.at, nothing, 0, nothing.length)) return value.none();
            if (value instanceof Nested.Holder && first < in.at) {
                Quoted inside = new Quoted(in.bytes, first, in.end);
                Object found = value.quoted(inside);
                in.at = inside.at;
                return found;
            }
            if (in.at == first) return emptyIsDefault ? value.missing : value.empty();
            return value.field(in);
        } catch (BadValue bad) {
            throw table.wrong(bad, column, "column");
        }
    }
}
