package sluice.changes;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/**
 * The rows that decoders of changes make: an error, the kind, the names of columns without a value if
 * the table has room for them, the columns that were discovered if they are asked for, the columns, and
 * metadata.
 */
final class ChangeRows implements Serializable {
    static final GenericArrayData NOTHING = new GenericArrayData(new Object[0]);
    /** In the marks of a row's columns: not there, there, there without its value. */
    static final byte ABSENT = 0, PRESENT = 1, UNAVAILABLE = 2;

    /** The columns and the metadata with their types, for those who make readers of them. */
    final transient List<TypeSpec.Column> columns;
    final transient List<TypeSpec.Column> metadata;
    final List<String> names;
    /** The keys of the metadata, without {@code value.}. */
    final List<String> wanted;
    /** The place of the first column. */
    final int first;
    /** Which columns are the table's PRIMARY KEY; empty if it has none. */
    final int[] key;
    private final boolean unchanged;
    private final boolean discovers;

    ChangeRows(String described, Settings options) {
        List<TypeSpec.Column> given = TypeSpec.columns(described);
        wanted = options.texts("envelope.metadata");
        int count = given.size() - wanted.size();
        columns = new ArrayList<>(given.subList(0, count));
        metadata = new ArrayList<>(given.subList(count, given.size()));
        unchanged = options.fixed("envelope.unchanged");
        discovers = options.fixed("envelope.discover");
        first = 2 + (unchanged ? 1 : 0) + (discovers ? 1 : 0);
        names = columns.stream().map(TypeSpec.Column::name).toList();
        key = options.texts("envelope.key").stream().mapToInt(names::indexOf).toArray();
    }

    /** Whether rows are known by a key, so that a change needs no old row. */
    boolean keyed() {
        return key.length > 0;
    }

    /** A row of a kind, without anything in its columns. */
    Object[] row(UTF8String kind) {
        Object[] row = new Object[first + names.size() + wanted.size()];
        row[1] = kind;
        return row;
    }

    /** The only row of a bad message. */
    ArrayData wrong(String error) {
        Object[] row = row(null);
        row[0] = UTF8String.fromString(error);
        return list(row);
    }

    /** Let the first row of a message list the columns that were discovered in it. */
    ArrayData listing(ArrayData rows, ArrayData discovered) {
        if (discovers && discovered != null && rows.numElements() > 0) {
            ((GenericInternalRow) rows.array()[0]).update(first - 1, discovered);
        }
        return rows;
    }

    static ArrayData list(Object[]... rows) {
        Object[] found = new Object[rows.length];
        for (int i = 0; i < rows.length; i++) found[i] = new GenericInternalRow(rows[i]);
        return new GenericArrayData(found);
    }

    /** Fail if a row has no value for a column of the key. */
    void checkKey(Object[] row, byte[] marks) {
        for (int column : key) {
            if (row[first + column] == null || marks[column] != PRESENT) {
                throw new BadValue("There is no value for column " + names.get(column) + " of the PRIMARY KEY.");
            }
        }
    }

    /** Whether two rows have the same key. */
    boolean sameKey(Object[] one, Object[] other) {
        for (int column : key) {
            if (!Objects.deepEquals(one[first + column], other[first + column])) return false;
        }
        return true;
    }

    /** Name the columns of a new row whose values the change does not carry. */
    void keepUnavailable(Object[] row, byte[] marks) {
        List<UTF8String> kept = null;
        for (int column = 0; column < names.size(); column++) {
            if (marks[column] != UNAVAILABLE) continue;
            if (!unchanged) {
                throw new BadValue("The value of column " + names.get(column) + " is unavailable, because the "
                    + "database did not log it; a table with a PRIMARY KEY keeps the value it has.");
            }
            if (kept == null) kept = new ArrayList<>();
            kept.add(UTF8String.fromString(names.get(column)));
        }
        if (kept != null) row[2] = new GenericArrayData(kept.toArray());
    }

    /** The values that a new row lacks, from the old row where that has them. */
    void complete(Object[] row, byte[] marks, Object[] old, byte[] oldMarks) {
        for (int column = 0; column < names.size(); column++) {
            if (marks[column] == UNAVAILABLE && oldMarks[column] == PRESENT) {
                row[first + column] = old[first + column];
                marks[column] = PRESENT;
            }
        }
    }

    /** Whether there are values that a change does not carry. */
    static boolean lacks(byte[] marks) {
        for (byte mark : marks) {
            if (mark == UNAVAILABLE) return true;
        }
        return false;
    }

    /** Marks for a row of which nothing was read yet. */
    byte[] marks() {
        return new byte[names.size()];
    }

    /** The old row is NULL that an operation needs. */
    static BadValue noOldRow(String field, Operation operation, String advice) {
        String key = operation == Operation.UPDATE ? " A table with a PRIMARY KEY needs no old row." : "";
        return new BadValue("The \"" + field + "\" field of " + operation + " message is null" + advice + key);
    }
}
