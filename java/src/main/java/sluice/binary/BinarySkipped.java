package sluice.binary;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/** A value of no column, whose type is in the message. */
final class BinarySkipped extends BinaryValue {
    private final BinaryAny.Value value;

    BinarySkipped(String type, BinaryAny.Value value) {
        super(type, 1, null);
        this.value = value;
    }

    @Override
    Object read(BinaryCursor in) {
        value.json(in, new Output());
        return null;
    }

    @Override
    void write(SpecializedGetters row, int at, Output out) {
        throw new IllegalArgumentException(type);
    }
}
