package sluice.parquet;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * A place in a table's schema. It takes the value there apart, down to the columns of a Parquet
 * file, which are lists of plain values.
 *
 * <p>With each value goes at what depth it begins to repeat (0: a new row) and how much of the way
 * to it is there (the most: all of it).
 */
abstract class Shred {
    /** Take the value at a place of a row, of a struct or of an array. */
    abstract void take(SpecializedGetters from, int at, int repetition);

    /** Take that there is nothing, from somewhere above on. */
    abstract void nothing(int repetition, int definition);
}
