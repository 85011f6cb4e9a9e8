package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * The columns of a table: their names, and what reads them.
 *
 * <p>One that is {@code wrapped} is a struct of its value, so that NULL, where a message says nothing,
 * differs from a NULL that is written.
 */
final class Table implements Serializable {
    final List<String> names = new ArrayList<>();
    final Value[] values;
    final Names columns;
    private final int[] wrapped;

    /** A NULL that is written for a column that is wrapped. */
    private enum Written { NULL }

    /** From {@code [{"column": name, "type": {…}, "wrapped": whether}, …]}. */
    Table(String described, Values reads) {
        JsonNode nodes = Values.tree(described);
        values = new Value[nodes.size()];
        List<Integer> inStructs = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            names.add(nodes.get(i).get("column").asText());
            values[i] = reads.of(nodes.get(i).get("type"));
            if (nodes.get(i).path("wrapped").asBoolean()) {
                values[i].nothing = Written.NULL;
                inStructs.add(i);
            }
        }
        wrapped = inStructs.stream().mapToInt(i -> i).toArray();
        columns = new Names(names);
    }

    /** A row without anything in it: its error, and its columns. */
    Object[] row() {
        return new Object[values.length + 1];
    }

    /** Fill in what a message did not say. */
    Object[] filled(Object[] row) {
        for (int i = 0; i < values.length; i++) {
            if (row[i + 1] == null) row[i + 1] = values[i].missing;
        }
        for (int i : wrapped) {
            Object value = row[i + 1];
            if (value == null) continue;
            Object[] inside = {value == Written.NULL ? null : value};
            row[i + 1] = new GenericInternalRow(inside);
        }
        return row;
    }

    /** What is wrong with a column's value. */
    BadValue wrong(BadValue bad, int column, String called) {
        return bad.at(called, names.get(column));
    }
}
