package sluice.protobuf;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;
import sluice.values.TypeSpec;

/** Makes the writers of fields as Flink writes them: what Java's Protobuf makes of a row. */
final class FlinkWriters {
    private final String nothing;

    /** {@code nothing} is written for a text that is NULL in an array or a map, which have no NULL. */
    FlinkWriters(String nothing) {
        this.nothing = nothing;
    }

    /** The fields of a message, in the order of their numbers. */
    FieldWriter[] fields(Plan.Message plan) {
        return plan.parts().stream().map(part -> {
            FieldWriter value = of(part.plan(), part.field());
            int column = part.columns()[0];
            return (FieldWriter) (row, none, out) -> {
                if (!row.isNullAt(column)) value.write(row, column, out);
            };
        }).toArray(FieldWriter[]::new);
    }

    private FieldWriter of(Plan plan, Proto.Field field) {
        if (plan instanceof Plan.Value value) return new Scalar(value.type(), field, nothing);
        if (plan instanceof Plan.ArrayValue items) return items(items, field);
        if (plan instanceof Plan.MapValue pairs) {
            FieldWriter[] entry = entry(pairs.entry().message());
            int number = field.number;
            return (row, at, out) -> {
                MapData map = row.getMap(at);
                for (int i = 0; i < map.numElements(); i++) {
                    int first = out.size;
                    entry[0].write(map.keyArray(), i, out);
                    entry[1].write(map.valueArray(), i, out);
                    WireOutput.delimit(first, number, out);
                }
            };
        }
        Plan.Struct struct = (Plan.Struct) plan;
        FieldWriter[] fields = fields(struct.message());
        int size = struct.message().columns().size();
        return message(field, (row, at, out) -> {
            if (row.isNullAt(at)) return; // of an array or a map: an empty message
            var inside = row.getStruct(at, size);
            for (FieldWriter each : fields) each.write(inside, 0, out);
        });
    }

    private FieldWriter[] entry(Plan.Message plan) {
        return plan.parts().stream().map(part -> of(part.plan(), part.field())).toArray(FieldWriter[]::new);
    }

    /** A message around fields, or a group. */
    private static FieldWriter message(Proto.Field field, FieldWriter fields) {
        int number = field.number;
        if (field.type == FieldType.GROUP) {
            return (row, at, out) -> {
                WireOutput.key(number, ProtoCursor.GROUP, out);
                fields.write(row, at, out);
                WireOutput.key(number, ProtoCursor.GROUP_END, out);
            };
        }
        return (row, at, out) -> {
            int first = out.size;
            fields.write(row, at, out);
            WireOutput.delimit(first, number, out);
        };
    }

    private FieldWriter items(Plan.ArrayValue plan, Proto.Field field) {
        FieldWriter item = of(plan.item(), field);
        if (!field.packed) {
            return (row, at, out) -> {
                ArrayData items = row.getArray(at);
                for (int i = 0; i < items.numElements(); i++) item.write(items, i, out);
            };
        }
        Scalar scalar = (Scalar) item;
        int number = field.number;
        return (row, at, out) -> {
            ArrayData items = row.getArray(at);
            int first = out.size;
            for (int i = 0; i < items.numElements(); i++) scalar.bare(items, i, out);
            if (out.size > first) WireOutput.delimit(first, number, out);
        };
    }

    /** One value; NULL, which only an array or a map hands over, is the default. */
    private static final class Scalar extends ScalarWriter {
        private final int bits;
        private final boolean isText;
        private final UTF8String nothing;
        private final int first;
        private final Map<UTF8String, Integer> names = new HashMap<>();
        private final Map<Integer, Integer> numbers = new HashMap<>();

        Scalar(TypeSpec spec, Proto.Field field, String nothing) {
            super(field, field.name);
            this.bits = spec.kind().equals("whole") ? spec.bits() : 0;
            this.isText = spec.kind().equals("text");
            this.nothing = UTF8String.fromString(nothing);
            if (field.type == FieldType.ENUM) {
                field.choices.numbers.forEach((name, number) -> {
                    names.put(UTF8String.fromString(name), number);
                    numbers.put(number, number);
                });
                first = field.choices.numbers.values().iterator().next();
            } else {
                first = 0;
            }
        }

        @Override
        public void write(SpecializedGetters row, int at, Output out) {
            value(row, at, out, false);
        }

        void bare(SpecializedGetters row, int at, Output out) {
            value(row, at, out, true);
        }

        @Override
        void value(SpecializedGetters row, int at, Output out, boolean bare) {
            boolean none = row.isNullAt(at);
            switch (type) {
                case STRING:
                case BYTES:
                    int from = out.size;
                    if (type == FieldType.STRING) out.put(none ? nothing : row.getUTF8String(at));
                    else if (!none) out.put(row.getBinary(at));
                    text(from, out);
                    return;
                case FLOAT: floating(none ? 0 : row.getFloat(at), out, bare); return;
                case DOUBLE: floating(none ? 0 : row.getDouble(at), out, bare); return;
                case BOOL: whole(!none && row.getBoolean(at) ? 1 : 0, out, bare); return;
                case ENUM: whole(none ? first : choice(row, at), out, bare); return;
                default: whole(none ? 0 : number(row, at), out, bare);
            }
        }

        /** An integer; without a sign, one of 32 bits has no bits above them. */
        private long number(SpecializedGetters row, int at) {
            long number = bits == 64 ? row.getLong(at) : row.getInt(at);
            return type == FieldType.UINT32 ? number & 0xffffffffL : number;
        }

        /** What is none of the enum is its first value. */
        private int choice(SpecializedGetters row, int at) {
            if (isText) return names.getOrDefault(row.getUTF8String(at), first);
            int number = bits == 64 ? (int) row.getLong(at) : bits == 32 ? row.getInt(at) : bits == 16 ? row.getShort(at) : row.getByte(at);
            return numbers.getOrDefault(number, first);
        }
    }
}
