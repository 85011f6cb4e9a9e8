package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** The columns of a table: their names, and what reads them. */
final class Table implements Serializable {
    final List<String> names = new ArrayList<>();
    final Value[] values;
    final Names columns;

    /** From {@code [{"column": name, "type": {…}}, …]}. */
    Table(String described, Values reads) {
        JsonNode nodes = Values.tree(described);
        values = new Value[nodes.size()];
        for (int i = 0; i < values.length; i++) {
            names.add(nodes.get(i).get("column").asText());
            values[i] = reads.of(nodes.get(i).get("type"));
        }
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
        return row;
    }

    /** What is wrong with a column's value. */
    BadValue wrong(BadValue bad, int column, String called) {
        return bad.at(called, names.get(column));
    }
}
