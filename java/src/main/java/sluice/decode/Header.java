package sluice.decode;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import sluice.scan.BadValue;
import sluice.scan.Cursor;
import sluice.scan.NameTable;
import sluice.values.Settings;

/** What precedes the rows of a message: the names of its fields, and perhaps their types. */
public final class Header implements Serializable {
    /** In an order of columns: a field without a column. */
    public static final int SKIPPED = -1;

    private final TableColumns table;
    private final boolean names;
    private final boolean types;
    private final boolean byName;
    private final boolean checked;
    private final boolean skipUnknown;
    private final int[] inOrder;
    private final NameTable columns;

    /** The fields of a header's line. */
    public interface Line<C extends Cursor> {
        /** Read the next field as a text, or the end of the line after so many; whether it was a field. */
        boolean field(C in, int count);
    }

    public Header(TableColumns table, Settings settings) {
        this.table = table;
        types = settings.fixed("with_types");
        names = types || settings.fixed("with_names");
        byName = settings.flag("input_format_with_names_use_header");
        checked = settings.flag("input_format_with_types_use_header");
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
        columns = new NameTable(table.names, null, TableColumns.matching(settings));
        inOrder = new int[table.values.length];
        for (int i = 0; i < inOrder.length; i++) inOrder[i] = i;
    }

    /** Whether messages have one. */
    public boolean present() {
        return names;
    }

    /** Whether it has types. */
    public boolean typed() {
        return types;
    }

    /** The columns in the table's order. */
    public int[] inOrder() {
        return inOrder;
    }

    /** Read it: which column each field of a row is for. */
    public <C extends Cursor> int[] read(C in, Line<C> line) {
        int[] order = names(in, line);
        if (!byName) order = inOrder;
        if (types) types(in, line, order);
        return order;
    }

    private <C extends Cursor> int[] names(C in, Line<C> line) {
        int[] order = new int[inOrder.length];
        boolean[] seen = new boolean[inOrder.length];
        int count = 0;
        for (; line.field(in, count); count++) {
            if (!byName) continue;
            int column = columns.find(in, count);
            if (column >= 0 && seen[column]) {
                throw new BadValue("Duplicate field found while parsing format header: " + table.names.get(column));
            }
            if (column < 0 && !skipUnknown) {
                throw new BadValue("Unknown field found in format header: '"
                    + BadValue.shown(in.text, in.from, in.to) + "' at position " + count);
            }
            if (column >= 0) seen[column] = true;
            if (count == order.length) order = Arrays.copyOf(order, 2 * count + 1);
            order[count] = column < 0 ? SKIPPED : column;
        }
        return Arrays.copyOf(order, count);
    }

    private <C extends Cursor> void types(C in, Line<C> line, int[] order) {
        int count = 0;
        for (; line.field(in, count); count++) {
            int column = checked && count < order.length ? order[count] : SKIPPED;
            if (column == SKIPPED) continue;
            byte[] declared = table.declared[column];
            if (!Arrays.equals(declared, 0, declared.length, in.text, in.from, in.to)) {
                throw new BadValue("Type of '" + table.names.get(column) + "' must be "
                    + new String(declared, StandardCharsets.UTF_8) + ", not "
                    + BadValue.shown(in.text, in.from, in.to));
            }
        }
        if (checked && count != order.length) {
            throw new BadValue("The number of data types differs from the number of column names in input data");
        }
    }
}
