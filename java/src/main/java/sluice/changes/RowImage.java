package sluice.changes;

import java.io.Serializable;
import java.util.List;
import sluice.flink.FlinkJsonDecoder;
import sluice.flink.FlinkValues;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.NameTable;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/** A row inside an envelope of JSON; its values are read by the rules of the table's dialect. */
final class RowImage implements Serializable {
    private final ChangeRows rows;
    private final ValueReader[] values;
    private final NameTable names;
    private final boolean clickHouse;
    private final boolean lenient;
    private final boolean skipUnknown;
    private final boolean omits;
    private final boolean[] isKey;
    private final SchemaDrift drift;

    /** {@code omits}: whether values may be {@link Unavailable}; {@code drift} is null unless columns are added. */
    RowImage(ChangeRows rows, Settings options, boolean omits, SchemaDrift drift) {
        this.rows = rows;
        this.omits = omits;
        this.drift = drift;
        clickHouse = options.fixed("clickhouse");
        lenient = options.fixed("ignore-parse-errors");
        skipUnknown = !options.fixed("envelope.strict")
            && (!clickHouse || options.flag("input_format_skip_unknown_fields"));
        List<TypeSpec> types = rows.columns.stream().map(TypeSpec.Column::type).toList();
        if (clickHouse) {
            ValueReaders made = new ValueReaders(options, false);
            values = types.stream().map(made::of).toArray(ValueReader[]::new);
        } else {
            FlinkValues made = flink(options);
            values = types.stream().map(made::of).toArray(ValueReader[]::new);
        }
        for (int column = 0; drift != null && column < values.length; column++) {
            String name = rows.names.get(column);
            if (drift.has(name)) values[column] = drift.reader(name, types.get(column), values[column]);
        }
        names = new NameTable(rows.names);
        isKey = new boolean[values.length];
        for (int column : rows.key) isKey[column] = true;
    }

    /** The readers of Flink's JSON. */
    static FlinkValues flink(Settings options) {
        boolean iso = "ISO-8601".equals(options.textOrNull("timestamp-format.standard"));
        return new FlinkValues(options.fixed("ignore-parse-errors"), false, iso);
    }

    /** A message, as the dialect's JSON. */
    JsonCursor open(byte[] message) {
        if (!clickHouse) return FlinkJsonDecoder.open(message);
        JsonCursor in = new JsonCursor(message);
        in.skipMark();
        return in;
    }

    /** Read the object at a position into a row, marking the columns that are there. */
    void fill(JsonCursor in, int at, Object[] row, byte[] marks) {
        begin(in, at);
        int column = -1;
        for (boolean more = !in.took('}'); more; more = in.another('}')) {
            in.key();
            column = names.find(in, column + 1);
            if (column >= 0) {
                boolean none = omits && Unavailable.took(in);
                marks[column] = none ? ChangeRows.UNAVAILABLE : ChangeRows.PRESENT;
                row[rows.first + column] = none ? null : value(in, column);
            } else {
                unknown(in);
            }
        }
    }

    /** The same for the columns of the key alone; what comes after them is not read. */
    void fillKey(JsonCursor in, int at, Object[] row, byte[] marks) {
        begin(in, at);
        int column = -1;
        int left = rows.key.length;
        for (boolean more = !in.took('}'); more && left > 0; more = left > 0 && in.another('}')) {
            in.key();
            column = names.find(in, column + 1);
            if (column < 0 || !isKey[column]) {
                in.skipUnread();
                continue;
            }
            row[rows.first + column] = value(in, column);
            if (marks[column] == ChangeRows.ABSENT) left--;
            marks[column] = ChangeRows.PRESENT;
        }
    }

    /** What columns hold that were not there: NULL, or in ClickHouse their type's default. */
    void fillMissing(Object[] row, byte[] marks) {
        if (!clickHouse) return;
        for (int column = 0; column < values.length; column++) {
            if (marks[column] != ChangeRows.PRESENT) row[rows.first + column] = values[column].missing;
        }
    }

    private static void begin(JsonCursor in, int at) {
        in.at = at;
        if (in.peek() != '{') throw in.expected("an object");
        in.at++;
    }

    private void unknown(JsonCursor in) {
        if (drift != null) {
            drift.unknown(in, omits);
            return;
        }
        if (!skipUnknown) {
            throw new BadValue("The table has no column " + BadValue.shown(in.text, in.from, in.to) + ".");
        }
        in.skip();
    }

    /** A value; of a key NULL is never the default of its type, which would be the key of another row. */
    private Object value(JsonCursor in, int column) {
        boolean none = isKey[column] && in.peek() == 'n';
        int start = in.at;
        try {
            if (none) {
                in.skip();
                return null;
            }
            return values[column].json(in);
        } catch (BadValue bad) {
            String name = rows.names.get(column);
            if (!lenient || drift != null && drift.has(name)) {
                throw clickHouse ? bad.at("key", name) : bad.inField(name);
            }
            in.at = start;
            in.skipUnread();
            return null;
        }
    }
}
