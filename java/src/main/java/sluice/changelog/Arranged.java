package sluice.changelog;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The rows that {@link Arrange} has for the keys of a batch, as a table for each input, before and after the batch. */
public final class Arranged {
    private static final String SEQ = "__seq";

    private final Batch batch;
    private final RDD<InternalRow> rows;
    private final List<StructType> inputs;
    private final List<List<String>> keys;
    private final boolean ordered;

    Arranged(Batch batch, RDD<InternalRow> rows, List<StructType> inputs, List<List<String>> keys, boolean ordered) {
        this.batch = batch;
        this.rows = rows;
        this.inputs = inputs;
        this.keys = keys;
        this.ordered = ordered;
    }

    public Dataset<Row> before(int input) {
        return table(input, false);
    }

    public Dataset<Row> after(int input) {
        return table(input, true);
    }

    private Dataset<Row> table(int input, boolean after) {
        StructType columns = Rows.nullable(inputs.get(input));
        StructType schema = ordered ? columns.add(SEQ, DataTypes.BinaryType) : columns;
        boolean sequenced = ordered;
        FlatMapFunction<Iterator<InternalRow>, InternalRow> copies =
            given -> new Copies(given, input, after, schema, sequenced);
        return batch.frame(rows.toJavaRDD().mapPartitions(copies).rdd(), schema, keys.get(input));
    }

    /** Each row of an input as many times as it is there. */
    private static final class Copies implements Iterator<InternalRow> {
        private final Iterator<InternalRow> rows;
        private final int input;
        private final int count;
        private final int seq;
        private final int columns;
        private final UnsafeProjection joined;
        private UnsafeRow row;
        private long left;

        Copies(Iterator<InternalRow> rows, int input, boolean after, StructType schema, boolean sequenced) {
            this.rows = rows;
            this.input = input;
            count = after ? 2 : 1;
            seq = after ? 5 : 4;
            columns = schema.length() - (sequenced ? 1 : 0);
            joined = sequenced ? UnsafeProjection.create(schema) : null;
        }

        @Override
        public boolean hasNext() {
            while (left == 0 && rows.hasNext()) {
                InternalRow found = rows.next();
                if (found.getInt(0) != input || found.getLong(count) == 0) continue;
                left = found.getLong(count);
                row = Rows.row(found.getBinary(3), columns);
                if (joined != null) row = joined.apply(new JoinedRow(row, place(found)));
            }
            return left > 0;
        }

        private GenericInternalRow place(InternalRow found) {
            return new GenericInternalRow(new Object[] {found.isNullAt(seq) ? null : found.getBinary(seq)});
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) throw new NoSuchElementException();
            left--;
            return row;
        }
    }
}
