package sluice.text;

import java.util.Arrays;
import sluice.decode.Header;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;

/**
 * The rows of INSERT and REPLACE into one table, in a dump of MySQL.
 *
 * <p>A dump that creates the table, or has rows of others, is left to ClickHouse.
 */
public final class MySqlDumpDecoder extends RowDecoder<DumpCursor> implements Header.Line<DumpCursor> {
    private final Header header;
    private final boolean byName;
    private final byte[] tableName; // empty for that of the first rows

    public MySqlDumpDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        header = new Header(table, settings.with("input_format_column_name_matching_mode", "match_case"));
        byName = settings.flag("input_format_mysql_dump_map_column_names");
        tableName = settings.bytes("input_format_mysql_dump_table_name");
    }

    @Override
    protected DumpCursor open(byte[] message) {
        return new DumpCursor(message);
    }

    @Override
    protected boolean begin(DumpCursor in) {
        in.table = tableName;
        if (!in.insert()) throw in.expected("INSERT INTO");
        toRows(in);
        return true;
    }

    /** Go to the rows of a statement, all of which have the columns of the first one, as ClickHouse has it. */
    private void toRows(DumpCursor in) {
        in.name(false);
        if (in.table.length == 0) in.table = Arrays.copyOfRange(in.text, in.from, in.to);
        if (!Arrays.equals(in.table, 0, in.table.length, in.text, in.from, in.to)) throw in.expected("no other table");
        int[] order = header.inOrder();
        if (in.took('(')) {
            int[] named = header.read(in, this);
            if (byName) order = named;
        }
        if (in.order == null) in.order = order;
        in.word("values");
    }

    @Override
    public boolean field(DumpCursor in, int count) {
        if (count > 0 && !in.another(')')) return false;
        in.name(true);
        return true;
    }

    @Override
    protected boolean more(DumpCursor in, boolean first) {
        if (!first) {
            in.took(',');
            if (in.took(';')) {
                if (!in.insert()) return false;
                toRows(in);
            }
        }
        return in.peek() >= 0;
    }

    @Override
    protected Object[] row(DumpCursor in) {
        Object[] row = table.row();
        in.take('(');
        for (int i = 0; i < in.order.length; i++) {
            if (i > 0) in.take(',');
            in.peek();
            int column = in.order[i];
            if (column == Header.SKIPPED) {
                QuotedRule.skip(in);
                continue;
            }
            try {
                row[column + 1] = table.values[column].quoted(in);
            } catch (BadValue bad) {
                throw table.wrong(bad, column, "column");
            }
        }
        in.take(')');
        return table.filled(row);
    }
}
