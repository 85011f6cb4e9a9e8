package sluice.changes;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkEncoder;
import sluice.flink.FlinkJsonEncoder;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/**
 * Change events as JSON, as Flink writes them: an insert or a delete. An update is one of each.
 *
 * <p>The row kind is the field after the columns; without one the row is an insert.
 */
abstract class JsonChangesEncoder extends FlinkEncoder {
    private final FlinkJsonEncoder row;
    private final int columns;
    private final byte[][] put;
    private final byte[][] removed;

    /** What is written before and after a row that is put, and one that is removed. */
    JsonChangesEncoder(String columns, Settings options, String[] put, String[] removed) {
        row = new FlinkJsonEncoder(columns, options);
        this.columns = TypeSpec.tree(columns).size();
        this.put = bytes(put);
        this.removed = bytes(removed);
    }

    private static byte[][] bytes(String[] texts) {
        return new byte[][] {texts[0].getBytes(StandardCharsets.UTF_8), texts[1].getBytes(StandardCharsets.UTF_8)};
    }

    @Override
    public final byte[] row(InternalRow given) {
        boolean kind = given.numFields() > columns && !given.isNullAt(columns);
        byte[][] around = kind && RowKinds.removes(given.getUTF8String(columns)) ? removed : put;
        Output out = new Output(row.room());
        out.put(around[0]);
        row.write(given, out);
        out.put(around[1]);
        return out.message();
    }

    /** Whether a field that is NULL is left out. */
    static boolean brief(Settings options) {
        return options.flag("encode.ignore-null-fields");
    }

    /** {@code {"before": …, "after": …, "op": …}}, the other row being NULL. */
    abstract static class BeforeAndAfter extends JsonChangesEncoder {
        BeforeAndAfter(String columns, Settings options, String operation, String put, String removed) {
            super(columns, options,
                new String[] {(brief(options) ? "{" : "{\"before\":null,") + "\"after\":", end(operation, put)},
                new String[] {"{\"before\":", (brief(options) ? "" : ",\"after\":null") + end(operation, removed)});
        }

        private static String end(String operation, String name) {
            return ",\"" + operation + "\":\"" + name + "\"}";
        }
    }
}
