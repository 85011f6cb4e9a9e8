package sluice.flink;

import java.util.List;
import sluice.scan.BadValue;
import sluice.scan.Utf8;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/**
 * Flink's csv, read: the first line of a message is its row. A line with too many fields is no row;
 * too few are one only if errors are ignored.
 */
public final class FlinkCsvDecoder extends FlinkDecoder {
    private final FlinkCsvMarks marks;
    private final FlinkCsvValue[] values;
    private final String[] names;
    private final boolean ignoresMore;
    private final boolean trailing;
    private final boolean needsAll;

    public FlinkCsvDecoder(String described, Settings options) {
        super(described, options.flag("ignore-parse-errors"));
        List<TypeSpec.Column> given = TypeSpec.columns(described);
        marks = new FlinkCsvMarks(options);
        values = new FlinkCsvValue[columns];
        names = new String[columns];
        for (int i = 0; i < columns; i++) {
            names[i] = given.get(i).name();
            values[i] = FlinkCsvValue.of(given.get(i).type(), marks, lenient);
        }
        ignoresMore = options.flag("ignore-trailing-unmappable");
        trailing = options.flag("allow-trailing-comma");
        needsAll = options.flag("fail-on-missing-columns");
    }

    @Override
    protected String failed(byte[] message) {
        return "Failed to deserialize CSV row '" + BadValue.shown(message, 0, message.length) + "'.";
    }

    @Override
    protected Object[] read(byte[] message) {
        valid(message);
        FlinkCsvLine line = new FlinkCsvLine(message, marks);
        if (!line.begin()) {
            if (marks.skipsFirst) return null;
            throw new BadValue("No content to map due to end-of-input");
        }
        Object[] row = empty();
        BadValue wrong = null;
        int found = 0;
        while (found < columns && line.next()) {
            try {
                row[found + 1] = values[found].field(line.text, line.from, line.to);
            } catch (BadValue bad) {
                if (!lenient && wrong == null) wrong = bad.inField(names[found]);
            }
            found++;
        }
        if (found < columns) missing(found);
        else more(line);
        if (wrong != null) throw wrong;
        return row;
    }

    static BadValue tooShort(int expected, int found) {
        return new BadValue("Row length mismatch. " + expected + " fields expected but was " + found + ".");
    }

    private void missing(int found) {
        if (needsAll) {
            throw new BadValue("Not enough column values: expected " + columns + ", found " + found);
        }
        if (!lenient) throw tooShort(columns, found);
    }

    /** What follows the last column: nothing, or a blank field if that is allowed. */
    private void more(FlinkCsvLine line) {
        if (!line.next()) return;
        if (ignoresMore) {
            while (line.next()) { }
            return;
        }
        String value = new String(line.text, line.from, line.to - line.from,
            java.nio.charset.StandardCharsets.UTF_8);
        if (trailing) {
            value = value.trim();
            if (value.isEmpty() && !line.next()) return;
        }
        throw new BadValue("Too many entries: expected at most " + columns + " (value #" + columns
            + " (" + value.length() + " chars) \"" + BadValue.shown(value) + "\")");
    }

    private static void valid(byte[] message) {
        for (byte b : message) {
            if (b >= 0) continue;
            if (Utf8.valid(message, 0, message.length)) return;
            throw new BadValue("Invalid UTF-8 in the message");
        }
    }
}
