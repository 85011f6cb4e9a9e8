package sluice.delta;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.changes.SeveralPartitions;

/**
 * Keys of rows, as one or two longs each, the numbers of the rows in a data file and, where it is known,
 * the partitions that their last changes come from.
 *
 * <p>What a task sends to the driver: a key whose columns are NULL is left out, it equals no other.
 */
public final class KeyBlock implements Serializable {
    /** The file of the rows; null for rows that are in none. */
    public final String file;

    private long[] first = new long[64];
    private long[] second;
    private int[] rows = new int[64];
    private int[] partitions;
    private int size;

    public KeyBlock(String file, boolean wide) {
        this.file = file;
        second = wide ? new long[64] : null;
    }

    /**
     * Add the key that a row has at {@code at} and after it; the row's number in its file. Its partition
     * is at {@code partition}, unless that is negative.
     */
    public void add(InternalRow row, int at, long number, int partition) {
        if (!row.isNullAt(at)) {
            boolean known = partition >= 0 && !row.isNullAt(partition);
            add(row.getLong(at), second == null ? 0 : row.getLong(at + 1), number,
                    known ? row.getInt(partition) : SeveralPartitions.UNKNOWN);
        }
    }

    public void add(long one, long two, long number, int partition) {
        if (size == rows.length) {
            int longer = size * 2;
            first = Arrays.copyOf(first, longer);
            rows = Arrays.copyOf(rows, longer);
            second = second == null ? null : Arrays.copyOf(second, longer);
            partitions = partitions == null ? null : Arrays.copyOf(partitions, longer);
        }
        if (partition != SeveralPartitions.UNKNOWN && partitions == null) {
            partitions = new int[rows.length];
            Arrays.fill(partitions, 0, size, SeveralPartitions.UNKNOWN);
        }
        if (partitions != null) {
            partitions[size] = partition;
        }
        first[size] = one;
        if (second != null) {
            second[size] = two;
        }
        rows[size++] = (int) number;
    }

    public int size() {
        return size;
    }

    public long first(int n) {
        return first[n];
    }

    public long second(int n) {
        return second == null ? 0 : second[n];
    }

    public int row(int n) {
        return rows[n];
    }

    public int partition(int n) {
        return partitions == null ? SeveralPartitions.UNKNOWN : partitions[n];
    }
}
