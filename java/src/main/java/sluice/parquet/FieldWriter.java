package sluice.parquet;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * Writes the values of a field of the schema: shreds them into the columns of a Parquet file.
 *
 * <p>With each value goes its repetition level (0: a new row) and its definition level (the highest
 * one: no NULL on the path to it).
 */
abstract class FieldWriter {
    /** Write the value at a position of a row, of a struct or of an array. */
    abstract void write(SpecializedGetters from, int at, int repetition);

    /** Write that there is no value: a NULL, or an empty array, on the path to it. */
    abstract void writeNull(int repetition, int definition);
}
