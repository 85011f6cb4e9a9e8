package sluice.delta;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Keys of rows, as one or two longs each, and the numbers of the rows in a data file.
 *
 * <p>What a task sends to the driver: a key whose columns are NULL is left out, it equals no other.
 */
public final class KeyBlock implements Serializable {
    /** The file of the rows; null for rows that are in none. */
    public final String file;

    private long[] first = new long[64];
    private long[] second;
    private int[] rows = new int[64];
    private int size;

    public KeyBlock(String file, boolean wide) {
        this.file = file;
        second = wide ? new long[64] : null;
    }

    /** Add the key that a row has at {@code at} and after it; the row's number in its file. */
    public void add(InternalRow row, int at, long number) {
        if (!row.isNullAt(at)) {
            add(row.getLong(at), second == null ? 0 : row.getLong(at + 1), number);
        }
    }

    public void add(long one, long two, long number) {
        if (size == rows.length) {
            int longer = size * 2;
            first = Arrays.copyOf(first, longer);
            rows = Arrays.copyOf(rows, longer);
            second = second == null ? null : Arrays.copyOf(second, longer);
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
}
