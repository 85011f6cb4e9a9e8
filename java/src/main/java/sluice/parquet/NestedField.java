package sluice.parquet;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;

/** A struct, array or map; {@code definition} is the definition level of one that is not NULL. */
abstract class NestedField extends FieldWriter {
    final FieldWriter[] inner;
    final int definition;

    NestedField(int definition, FieldWriter... inner) {
        this.definition = definition;
        this.inner = inner;
    }

    @Override
    final void write(SpecializedGetters from, int at, int repetition) {
        if (from.isNullAt(at)) {
            writeNull(repetition, definition - 1);
        } else {
            writeInner(from, at, repetition);
        }
    }

    @Override
    final void writeNull(int repetition, int definition) {
        for (FieldWriter each : inner) {
            each.writeNull(repetition, definition);
        }
    }

    abstract void writeInner(SpecializedGetters from, int at, int repetition);

    /** The values of an array; {@code depth} is the repetition level of those after the first. */
    final void each(FieldWriter field, ArrayData values, int repetition, int depth) {
        int count = values.numElements();
        if (count == 0) {
            field.writeNull(repetition, definition);
        }
        for (int n = 0; n < count; n++) {
            field.write(values, n, n == 0 ? repetition : depth);
        }
    }

    static final class Struct extends NestedField {
        Struct(int definition, FieldWriter... fields) {
            super(definition, fields);
        }

        @Override
        void writeInner(SpecializedGetters from, int at, int repetition) {
            SpecializedGetters fields = from.getStruct(at, inner.length);
            for (int n = 0; n < inner.length; n++) {
                inner[n].write(fields, n, repetition);
            }
        }
    }

    static final class List extends NestedField {
        private final int depth;

        List(int definition, int depth, FieldWriter values) {
            super(definition, values);
            this.depth = depth;
        }

        @Override
        void writeInner(SpecializedGetters from, int at, int repetition) {
            each(inner[0], from.getArray(at), repetition, depth);
        }
    }

    static final class Map extends NestedField {
        private final int depth;

        Map(int definition, int depth, FieldWriter keys, FieldWriter values) {
            super(definition, keys, values);
            this.depth = depth;
        }

        @Override
        void writeInner(SpecializedGetters from, int at, int repetition) {
            MapData map = from.getMap(at);
            each(inner[0], map.keyArray(), repetition, depth);
            each(inner[1], map.valueArray(), repetition, depth);
        }
    }
}
