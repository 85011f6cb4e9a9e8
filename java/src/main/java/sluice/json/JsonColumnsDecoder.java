package sluice.json;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.Decoder;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.JsonRules;
import sluice.scan.NameTable;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/** Lists with the values of a column each, under their names in an object; blocks of rows, one after another. */
public class JsonColumnsDecoder implements Decoder {
    final TableColumns table;
    private final NameTable names;
    private final JsonRules rules;
    private final boolean skipUnknown;

    public JsonColumnsDecoder(String columns, Settings settings) {
        table = new TableColumns(columns, new ValueReaders(settings, false));
        names = new NameTable(table.names, null, TableColumns.matching(settings));
        rules = JsonObjectsDecoder.rules(settings);
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
    }

    @Override
    public final ArrayData decode(byte[] message) {
        try {
            JsonCursor in = new JsonCursor(message, rules);
            List<Object> rows = new ArrayList<>();
            while (in.peek() >= 0) block(in, rows);
            return new GenericArrayData(rows.toArray());
        } catch (BadValue bad) {
            return bad.row(table.values.length);
        }
    }

    /** Read a block. */
    void block(JsonCursor in, List<Object> rows) {
        in.take('{');
        columns(in, '}', rows);
    }

    /** Read the name of a list, if lists have names, and what it is the column of; or -1. */
    int column(JsonCursor in, int count) {
        in.key();
        int column = names.find(in, count);
        if (column < 0 && !skipUnknown) {
            throw new BadValue("Unknown column found in input data: " + BadValue.shown(in.text, in.from, in.to));
        }
        return column;
    }

    /** Read the columns up to the bracket that closes them, and make rows of them. */
    final void columns(JsonCursor in, char bracket, List<Object> rows) {
        List<?>[] columns = new List<?>[table.values.length];
        int height = -1;
        int count = 0;
        for (boolean more = !in.took(bracket); more; more = in.another(bracket)) {
            int column = column(in, count++);
            if (column < 0) {
                skip(in);
                continue;
            }
            if (columns[column] != null) {
                throw new BadValue("Repeated field (`" + table.names.get(column) + "`) when processing data");
            }
            List<Object> values = values(in, column);
            if (height >= 0 && values.size() != height) {
                throw new BadValue("Number of rows differs in different columns: " + height + " != " + values.size());
            }
            height = values.size();
            columns[column] = values;
        }
        for (int i = 0; i < height; i++) rows.add(new GenericInternalRow(row(columns, i)));
    }

    private Object[] row(List<?>[] columns, int number) {
        Object[] row = table.row();
        for (int i = 0; i < columns.length; i++) {
            if (columns[i] != null) row[i + 1] = columns[i].get(number);
        }
        return table.filled(row);
    }

    private static void skip(JsonCursor in) {
        if (in.peek() != '[') throw in.expected("'['");
        in.skip();
    }

    private List<Object> values(JsonCursor in, int column) {
        List<Object> found = new ArrayList<>();
        in.take('[');
        try {
            for (boolean more = !in.took(']'); more; more = in.another(']')) found.add(table.values[column].json(in));
        } catch (BadValue bad) {
            BadValue wrong = table.wrong(bad, column, "key");
            throw found.isEmpty() ? wrong : wrong.atRow(found.size() + 1);
        }
        return found;
    }

    /** The same lists in a list, in the table's order. */
    public static final class Compact extends JsonColumnsDecoder {
        public Compact(String columns, Settings settings) {
            super(columns, settings);
        }

        @Override
        void block(JsonCursor in, List<Object> rows) {
            in.take('[');
            columns(in, ']', rows);
        }

        @Override
        int column(JsonCursor in, int count) {
            if (count < table.values.length) return count;
            throw new BadValue("Input data has too many columns, expected " + table.values.length + " columns");
        }
    }

    /** One block after the columns' names and types. */
    public static final class WithMetadata extends JsonColumnsDecoder {
        private final Metadata metadata;

        public WithMetadata(String columns, Settings settings) {
            super(columns, settings);
            metadata = new Metadata(table, settings, false);
        }

        @Override
        void block(JsonCursor in, List<Object> rows) {
            in.skipMark();
            metadata.read(in, '{');
            columns(in, '}', rows);
            in.endEnclosed();
        }
    }
}
