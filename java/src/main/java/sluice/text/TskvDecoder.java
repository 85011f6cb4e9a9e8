package sluice.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.scan.QuotedText;
import sluice.values.NestedReaders;
import sluice.values.Settings;
import sluice.values.ValueReader;

/** Lines of {@code name=value} with tabs between them. */
public final class TskvDecoder extends RowDecoder<FieldCursor> {
    private static final byte[] WORD = "tskv".getBytes(StandardCharsets.US_ASCII);

    private final boolean skipUnknown;
    private final boolean emptyIsDefault;
    private final byte[] nothing;

    public TskvDecoder(String columns, Settings settings) {
        super(columns, settings, "input_format_tsv_enum_as_number");
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
        emptyIsDefault = settings.flag("input_format_tsv_empty_as_default");
        nothing = settings.bytes("format_tsv_null_representation");
    }

    @Override
    protected FieldCursor open(byte[] message) {
        return new FieldCursor(message);
    }

    @Override
    protected boolean begin(FieldCursor in) {
        in.skipMark();
        if (in.at == in.end) {
            throw new BadValue("Unexpected end of stream while reading key name from TSKV format");
        }
        return true;
    }

    @Override
    protected Object[] row(FieldCursor in) {
        Object[] row = table.row();
        if (in.is('\n')) return table.filled(row);
        boolean[] seen = new boolean[table.values.length];
        int column = -1;
        boolean first = true;
        do {
            TsvDecoder.escaped(in, false, (byte) '=');
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
                TsvDecoder.escaped(in, false, (byte) '\t');
            }
        } while (in.is('\t'));
        if (in.at < in.end && !in.is('\n')) throw in.expected("'\\t' or '\\n'");
        return table.filled(row);
    }

    private Object value(FieldCursor in, int column) {
        ValueReader value = table.values[column];
        try {
            int first = in.at;
            TsvDecoder.escaped(in, false, (byte) '\t');
            if (Arrays.equals(in.bytes, first, in.at, nothing, 0, nothing.length)) return value.none();
            if (value instanceof NestedReaders.Holder && first < in.at) {
                QuotedText inside = new QuotedText(in.bytes, first, in.end);
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
