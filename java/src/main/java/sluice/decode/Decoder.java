package sluice.decode;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** What a message means: rows, or one row that says what is wrong with it. */
public interface Decoder extends Serializable {
    /**
     * The rows of a message, each with its error (NULL for a good one) before the columns.
     *
     * <p>A message is good or bad as a whole: with one wrong value in it, its only row is the error.
     */
    ArrayData decode(byte[] message);

    /** Whether what was decoded is the error of a message. */
    static boolean isError(ArrayData rows) {
        return rows.numElements() == 1 && !rows.getStruct(0, 1).isNullAt(0);
    }
}
