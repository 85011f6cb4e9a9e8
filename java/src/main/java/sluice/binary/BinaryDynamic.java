package sluice.binary;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.values.Output;

/** A value after its type, which is only skipped. */
final class BinaryDynamic extends BinaryValue {
    private final BinaryValues values;

    BinaryDynamic(String type, BinaryValues values) {
        super(type, 1, null);
        this.values = values;
    }

    @Override
    Object read(BinaryCursor in) {
        in.enter();
        values.of(TypeSpecs.of(TypeBytes.read(in, values.complexity))).read(in);
        in.leave();
        return null;
    }

    @Override
    void write(SpecializedGetters row, int at, Output out) {
        throw new IllegalArgumentException(type);
    }
}
