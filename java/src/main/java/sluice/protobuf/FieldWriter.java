package sluice.protobuf;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/** Writes the value of a column, or of a part of one, as a field. */
interface FieldWriter extends Serializable {
    void write(SpecializedGetters row, int at, Output out);
}
