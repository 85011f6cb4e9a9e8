package sluice.parquet;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** Places that hold other places; {@code definition} is what says that they are there themselves. */
abstract class Nested extends Shred {
    final Shred[] inner;
    final int definition;

    Nested(int definition, Shred... inner) {
        this.definition = definition;
        this.inner = inner;
    }

    @Override
    final void take(SpecializedGetters from, int at, int repetition) {
        if (from.isNullAt(at)) {
            nothing(repetition, definition - 1);
        } else {
            open(from, at, repetition);
        }
    }

    @Override
    final void nothing(int repetition, int definition) {
        for (Shred each : inner) {
            each.nothing(repetition, definition);
        }
    }

    abstract void open(SpecializedGetters from, int at, int repetition);

    /** The values of an array, one below the other; {@code depth} is where those after the first begin. */
    final void each(Shred place, ArrayData values, int repetition, int depth) {
        int count = values.numElements();
        if (count == 0) {
            place.nothing(repetition, definition);
        }
        for (int n = 0; n < count; n++) {
            place.take(values, n, n == 0 ? repetition : depth);
        }
    }

    /** A value for each name. */
    static final class Struct extends Nested {
        Struct(int definition, Shred... fields) {
            super(definition, fields);
        }

        @Override
        void open(SpecializedGetters from, int at, int repetition) {
            SpecializedGetters fields = from.getStruct(at, inner.length);
            for (int n = 0; n < inner.length; n++) {
                inner[n].take(fields, n, repetition);
            }
        }
    }

    /** Values in an order. */
    static final class List extends Nested {
        private final int depth;

        List(int definition, int depth, Shred values) {
            super(definition, values);
            this.depth = depth;
        }

        @Override
        void open(SpecializedGetters from, int at, int repetition) {
            each(inner[0], from.getArray(at), repetition, depth);
        }
    }

    /** Values by key. */
    static final class Map extends Nested {
        private final int depth;

        Map(int definition, int depth, Shred keys, Shred values) {
            super(definition, keys, values);
            this.depth = depth;
        }

        @Override
        void open(SpecializedGetters from, int at, int repetition) {
            MapData map = from.getMap(at);
            each(inner[0], map.keyArray(), repetition, depth);
            each(inner[1], map.valueArray(), repetition, depth);
        }
    }
}
