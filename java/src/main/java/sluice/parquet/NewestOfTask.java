package sluice.parquet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.BaseOrdering;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateOrdering$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import sluice.changes.SeveralPartitions;
import sluice.delta.KeyMap;

/**
 * Leaves out changes that a later one of the same task supersedes, before rows are moved by key.
 *
 * <p>It keeps rows up to a number of bytes and gives them away then, so some may be left. Where hardly
 * any key occurs twice it lets rows pass.
 *
 * @param at where in a row the longs of its key are
 * @param ordered where the columns are that order the changes of a key
 * @param partition where the partition of a change is, negative if it is not known
 */
record NewestOfTask(StructType schema, int at, boolean wide, int[] ordered, int partition, SeveralPartitions several)
        implements FlatMapFunction<Iterator<InternalRow>, InternalRow> {
    private static final long MOST_BYTES = 48 << 20;

    /** Rows that must be superseded for it to be worth the while: one of so many. */
    private static final int WORTH = 5;

    @Override
    public Iterator<InternalRow> call(Iterator<InternalRow> rows) {
        List<SortOrder> order = new ArrayList<>();
        for (int n : ordered) {
            StructField field = schema.fields()[n];
            DataType type = field.dataType();
            order.add(new SortOrder(new BoundReference(n, type, true), Ascending$.MODULE$,
                    Ascending$.MODULE$.defaultNullOrdering(), (Seq) scala.collection.immutable.Nil$.MODULE$));
        }
        Object ordering = GenerateOrdering$.MODULE$.generate(
                scala.collection.immutable.List.from(CollectionConverters.asScala(order)));
        return new Newest(rows, (BaseOrdering) ordering);
    }

    private final class Newest implements Iterator<InternalRow> {
        private final Iterator<InternalRow> rows;
        private final BaseOrdering ordering;
        private Iterator<InternalRow> out = Collections.emptyIterator();
        private boolean passes;

        Newest(Iterator<InternalRow> rows, BaseOrdering ordering) {
            this.rows = rows;
            this.ordering = ordering;
        }

        @Override
        public boolean hasNext() {
            if (!out.hasNext() && rows.hasNext()) {
                out = passes ? rows : filled();
            }
            return out.hasNext();
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return out.next();
        }

        private Iterator<InternalRow> filled() {
            KeyMap places = new KeyMap(wide);
            List<InternalRow> kept = new ArrayList<>();
            long read = 0;
            long bytes = 0;
            while (bytes < MOST_BYTES && rows.hasNext()) {
                InternalRow row = rows.next();
                read++;
                long first = row.getLong(at);
                long second = wide ? row.getLong(at + 1) : 0;
                long place = row.isNullAt(at) ? KeyMap.NONE : places.find(first, second);
                if (place == KeyMap.NONE) {
                    if (!row.isNullAt(at)) {
                        places.put(first, second, kept.size());
                    }
                    kept.add(row.copy());
                    bytes += row instanceof UnsafeRow known ? known.getSizeInBytes() + 64 : 512;
                    continue;
                }
                LastChanges.compare(kept.get((int) place), row, partition, several);
                if (ordering.compare(kept.get((int) place), row) <= 0) {
                    replace(kept, (int) place, row);
                }
            }
            passes = rows.hasNext() && (read - kept.size()) * WORTH < read;
            return kept.iterator();
        }

        private static void replace(List<InternalRow> kept, int place, InternalRow row) {
            if (kept.get(place) instanceof UnsafeRow old && row instanceof UnsafeRow later
                    && old.getSizeInBytes() >= later.getSizeInBytes()) {
                old.copyFrom(later);
            } else {
                kept.set(place, row.copy());
            }
        }
    }
}
