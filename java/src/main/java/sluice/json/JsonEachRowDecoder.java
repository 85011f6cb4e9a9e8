package sluice.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.NameTable;
import sluice.values.Settings;

/** JSON objects, whose keys name the columns. */
public class JsonEachRowDecoder extends JsonObjectsDecoder {
    private final boolean skipUnknown;
    private final NameTable columns;
    private final long all; // what JsonCursor.seen is once nothing else is read, 0 if everything is
    private final NameTable outer; // if objects inside are looked into: those with columns of their own
    private final List<NameTable> inner = new ArrayList<>();
    private final NameTable.Matching matching;

    public JsonEachRowDecoder(String columns, Settings settings) {
        this(columns, settings, true);
    }

    /** {@code alone}: whether nothing but the object fills columns. */
    JsonEachRowDecoder(String columns, Settings settings, boolean alone) {
        super(columns, settings);
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
        matching = settings.flag("input_format_json_case_insensitive_column_matching")
            ? NameTable.Matching.IGNORE_CASE : TableColumns.matching(settings);
        this.columns = new NameTable(table.names, null, matching);
        boolean counted = alone && settings.flag("input_format_json_ignore_unnecessary_fields") && table.values.length < Long.SIZE;
        all = counted ? (1L << table.values.length) - 1 : 0;
        outer = settings.flag("input_format_import_nested_json") ? nested() : null;
    }

    private NameTable nested() {
        Map<String, List<Integer>> found = new LinkedHashMap<>();
        for (int i = 0; i < table.values.length; i++) {
            int dot = table.names.get(i).indexOf('.');
            if (dot < 0) continue;
            found.computeIfAbsent(table.names.get(i).substring(0, dot), k -> new ArrayList<>()).add(i);
        }
        found.forEach((name, columns) -> {
            List<String> names = new ArrayList<>();
            columns.forEach(i -> names.add(table.names.get(i).substring(name.length() + 1)));
            inner.add(new NameTable(names, columns.stream().mapToInt(i -> i).toArray(), matching));
        });
        return new NameTable(new ArrayList<>(found.keySet()), null, matching);
    }

    @Override
    protected Object[] row(JsonCursor in) {
        in.seen = 0;
        return fields(in, table.row());
    }

    /** Read an object into a row. */
    final Object[] fields(JsonCursor in, Object[] row) {
        in.take('{');
        int column = -1;
        for (boolean more = !in.took('}'); more; more = in.another('}')) {
            in.key();
            if (all != 0 && in.seen == all) {
                in.skip();
                continue;
            }
            int object = outer == null ? -1 : outer.find(in, 0);
            if (object >= 0) {
                nested(in, inner.get(object), row);
            } else {
                column = columns.find(in, column + 1);
                value(in, column, row);
            }
        }
        return table.filled(row);
    }

    private void nested(JsonCursor in, NameTable columns, Object[] row) {
        in.take('{');
        for (boolean more = !in.took('}'); more; more = in.another('}')) {
            in.key();
            value(in, columns.find(in, 0), row);
        }
    }

    private void value(JsonCursor in, int column, Object[] row) {
        if (column < 0) {
            if (!skipUnknown) {
                throw new BadValue("Unknown field found while parsing JSONEachRow format: "
                    + BadValue.shown(in.text, in.from, in.to));
            }
            in.skip();
            return;
        }
        if (isAgain(in, column, row)) {
            throw new BadValue("Duplicate field found while parsing JSONEachRow format: " + table.names.get(column));
        }
        try {
            row[column + 1] = table.values[column].json(in);
        } catch (BadValue bad) {
            throw table.wrong(bad, column, "key");
        }
    }

    /** Whether the object has a column's key for a second time; beyond 64 columns NULL may come again. */
    static boolean isAgain(JsonCursor in, int column, Object[] row) {
        if (column >= Long.SIZE) return row[column + 1] != null;
        long bit = 1L << column;
        if ((in.seen & bit) != 0) return true;
        in.seen |= bit;
        return false;
    }
}
