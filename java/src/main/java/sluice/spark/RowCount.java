package sluice.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.AccumulatorV2;

/** How many messages the tasks of a query have made. The driver gets what they counted when they end. */
public final class RowCount extends AccumulatorV2<Object, Long> {
    private long rows;

    private RowCount(long rows) {
        this.rows = rows;
    }

    /** For a query that is about to begin. */
    public static RowCount of(SparkSession spark) {
        RowCount made = new RowCount(0);
        spark.sparkContext().register(made);
        return made;
    }

    /** Count a message; gives it back. */
    public byte[] note(byte[] message) {
        rows++;
        return message;
    }

    @Override
    public synchronized void merge(AccumulatorV2<Object, Long> other) {
        rows += other.value();
    }

    @Override
    public boolean isZero() {
        return rows == 0;
    }

    @Override
    public RowCount copy() {
        return new RowCount(rows);
    }

    @Override
    public void reset() {
        rows = 0;
    }

    @Override
    public void add(Object nothing) {
        throw new UnsupportedOperationException("messages are noted");
    }

    @Override
    public Long value() {
        return rows;
    }
}
