package sluice.decode;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import sluice.scan.BadValue;
import sluice.scan.NameTable;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/**
 * The columns of a table: their names, and what reads them.
 *
 * <p>One that is {@code wrapped} is a struct of its value, so that NULL, where a message says nothing,
 * differs from a NULL that is written.
 */
public final class TableColumns implements Serializable {
    public final List<String> names = new ArrayList<>();
    public final ValueReader[] values;
    public final NameTable columns;
    /** Their types, as they are declared. */
    final byte[][] declared;
    private final int[] wrapped;
    private final boolean omittedIsNull;

    /** A NULL that is written for a column that is wrapped. */
    private enum Written { NULL }

    /** From {@code [{"column": name, "type": {…}, "wrapped": whether}, …]}. */
    public TableColumns(String described, ValueReaders reads) {
        List<TypeSpec.Column> given = TypeSpec.columns(described);
        omittedIsNull = reads.omittedIsNull();
        values = new ValueReader[given.size()];
        declared = new byte[values.length][];
        List<Integer> inStructs = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            names.add(given.get(i).name());
            values[i] = reads.column(given.get(i).type());
            declared[i] = given.get(i).type().declared().getBytes(StandardCharsets.UTF_8);
            if (given.get(i).wrapped()) {
                values[i].nothing = Written.NULL;
                inStructs.add(i);
            }
        }
        wrapped = inStructs.stream().mapToInt(i -> i).toArray();
        columns = new NameTable(names);
    }

    /** How the names of a message are compared with those of columns. */
    public static NameTable.Matching matching(Settings settings) {
        String named = settings.textOrNull("input_format_column_name_matching_mode");
        return named == null ? NameTable.Matching.MATCH_CASE : NameTable.Matching.valueOf(named.toUpperCase(Locale.ROOT));
    }

    /** The type of a column, as it is declared. */
    public String declared(int column) {
        return new String(declared[column], StandardCharsets.UTF_8);
    }

    /** A row without anything in it: its error, and its columns. */
    public Object[] row() {
        return new Object[values.length + 1];
    }

    /** Fill in what a message did not say. */
    public Object[] filled(Object[] row) {
        for (int i = 0; i < values.length; i++) {
            if (row[i + 1] == null) row[i + 1] = omitted(i);
        }
        for (int i : wrapped) {
            Object value = row[i + 1];
            if (value == null) continue;
            Object[] inside = {value == Written.NULL ? null : value};
            row[i + 1] = new GenericInternalRow(inside);
        }
        return row;
    }

    private Object omitted(int column) {
        Object found = values[column].missing;
        if (omittedIsNull && found != null) {
            throw new BadValue("Cannot insert NULL value into a column `" + names.get(column) + "` of type '"
                + declared(column) + "'");
        }
        return found;
    }

    /** What is wrong with a column's value. */
    public BadValue wrong(BadValue bad, int column, String called) {
        return bad.at(called, names.get(column));
    }
}
