package sluice.delta;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;

/**
 * A table's key as one long, which is the key itself, or as two: a hash of 128 bits.
 *
 * <p>They are NULL for a key of which a part is NULL: it equals no other.
 */
public record KeyColumns(List<String> names, boolean wide) {
    /** The names of the columns of longs. */
    public static final String FIRST = "__key1";

    public static final String SECOND = "__key2";

    private static final long SALT = 0x5DEECE66DL;

    /** The key of a table by the names of its columns. */
    public static KeyColumns of(List<String> names, StructType table) {
        return new KeyColumns(List.copyOf(names), names.size() > 1 || !whole(table.apply(names.get(0)).dataType()));
    }

    private static boolean whole(DataType type) {
        return type instanceof LongType || type instanceof IntegerType
                || type instanceof ShortType || type instanceof ByteType;
    }

    /** The columns of longs, for rows that have the key's columns. */
    public Column[] longs() {
        if (!wide) {
            return new Column[] {column(names.get(0)).cast("long").as(FIRST)};
        }
        Column[] parts = columns();
        Column whole = parts[0].isNotNull();
        Column[] salted = new Column[parts.length + 1];
        salted[0] = functions.lit(SALT);
        for (int n = 0; n < parts.length; n++) {
            whole = whole.and(parts[n].isNotNull());
            salted[n + 1] = parts[n];
        }
        return new Column[] {
            functions.when(whole, functions.xxhash64(parts)).as(FIRST),
            functions.xxhash64(salted).as(SECOND)
        };
    }

    /** The key's columns. */
    public Column[] columns() {
        return names.stream().map(KeyColumns::column).toArray(Column[]::new);
    }

    /** A column by its name, whatever letters it has. */
    public static Column column(String name) {
        return functions.col("`" + name.replace("`", "``") + "`");
    }
}
