package sluice.protobuf;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.errors.ConditionException;
import sluice.values.Output;

/** Writes the values of columns as a message, its fields in the order of their numbers. */
final class MessageWriter implements Serializable {
    private final FieldWriter[] fields;
    private final int[] columns;
    private final int number;
    private final boolean isGroup;
    private final boolean skipsEmpty;

    MessageWriter(Plan.Message plan, ScalarWriters scalars) {
        List<Plan.Part> parts = plan.parts();
        fields = parts.stream().map(part -> field(part, plan, scalars)).toArray(FieldWriter[]::new);
        columns = parts.stream().mapToInt(part -> several(part) ? -1 : part.columns()[0]).toArray();
        Proto.Field in = plan.field();
        number = in == null ? 0 : in.number;
        isGroup = in != null && in.type == FieldType.GROUP;
        skipsEmpty = in != null && !in.repeated && !in.required && !in.owner.isMapEntry;
    }

    private static boolean several(Plan.Part part) {
        return part.plan() instanceof Plan.Inline || part.plan() instanceof Plan.Parallel;
    }

    /** Write the fields alone. */
    void fields(SpecializedGetters row, Output out) {
        for (int i = 0; i < fields.length; i++) fields[i].write(row, columns[i], out);
    }

    /** Write the message as the field that it is, unless nothing is in it and that means the same. */
    void within(SpecializedGetters row, Output out) {
        within(row, out, skipsEmpty);
    }

    void within(SpecializedGetters row, Output out, boolean unlessEmpty) {
        int first = out.size;
        if (isGroup) {
            WireOutput.key(number, ProtoCursor.GROUP, out);
            int inside = out.size;
            fields(row, out);
            if (unlessEmpty && out.size == inside) out.size = first;
            else WireOutput.key(number, ProtoCursor.GROUP_END, out);
            return;
        }
        fields(row, out);
        if (!unlessEmpty || out.size > first) WireOutput.delimit(first, number, out);
    }

    private static FieldWriter field(Plan.Part part, Plan.Message within, ScalarWriters scalars) {
        if (part.plan() instanceof Plan.Inline inline) {
            MessageWriter message = new MessageWriter(inline.message(), scalars);
            int[] from = part.columns();
            return (row, none, out) -> message.within(View.of(row, from), out);
        }
        if (part.plan() instanceof Plan.Parallel parallel) {
            MessageWriter message = new MessageWriter(parallel.message(), scalars);
            return new ParallelWriter(message, part.columns(), part.column());
        }
        return value(part.plan(), part.field(), part.column(), scalars);
    }

    private static FieldWriter value(Plan plan, Proto.Field field, String column, ScalarWriters scalars) {
        if (plan instanceof Plan.Value value) return scalars.of(value.type(), value.field(), column);
        if (plan instanceof Plan.ArrayValue items) return items(items, field, column, scalars);
        if (plan instanceof Plan.MapValue pairs) {
            MessageWriter entry = new MessageWriter(pairs.entry().message(), scalars);
            return (row, at, out) -> pairs(row, at, entry, out);
        }
        if (plan instanceof Plan.Struct struct) {
            MessageWriter message = new MessageWriter(struct.message(), scalars);
            int size = struct.message().columns().size();
            return (row, at, out) -> {
                if (!row.isNullAt(at)) message.within(row.getStruct(at, size), out);
            };
        }
        if (plan instanceof Plan.Only only) {
            MessageWriter message = new MessageWriter(only.message(), scalars);
            return (row, at, out) -> message.within(View.of(row, at), out);
        }
        if (plan instanceof Plan.Wrapper wrapper) {
            MessageWriter message = new MessageWriter(wrapper.message(), scalars);
            return (row, at, out) -> {
                if (!row.isNullAt(at)) message.within(View.of(row, at), out, false);
            };
        }
        if (plan instanceof Plan.Parts parts) return parts(parts, column, scalars);
        throw new IllegalArgumentException(String.valueOf(plan));
    }

    private static FieldWriter items(Plan.ArrayValue plan, Proto.Field field, String column, ScalarWriters scalars) {
        FieldWriter item = value(plan.item(), field, column, scalars);
        if (field.packed && item instanceof ScalarWriter scalar) {
            int number = field.number;
            return (row, at, out) -> {
                if (row.isNullAt(at)) return;
                ArrayData items = row.getArray(at);
                int first = out.size;
                for (int i = 0; i < items.numElements(); i++) if (!items.isNullAt(i)) scalar.value(items, i, out, true);
                if (out.size > first) WireOutput.delimit(first, number, out);
            };
        }
        return (row, at, out) -> {
            if (row.isNullAt(at)) return;
            ArrayData items = row.getArray(at);
            for (int i = 0; i < items.numElements(); i++) item.write(items, i, out);
        };
    }

    private static void pairs(SpecializedGetters row, int at, MessageWriter entry, Output out) {
        if (row.isNullAt(at)) return;
        MapData map = row.getMap(at);
        for (int i = 0; i < map.numElements(); i++) {
            entry.within(View.across(new ArrayData[] {map.keyArray(), map.valueArray()}, i), out);
        }
    }

    private static FieldWriter parts(Plan.Parts plan, String column, ScalarWriters scalars) {
        FieldWriter[] parts = plan.parts().stream().map(part -> value(part, plan.field(), column, scalars)).toArray(FieldWriter[]::new);
        int number = plan.field().number;
        boolean packed = plan.field().packed;
        return (row, at, out) -> {
            if (row.isNullAt(at)) return;
            InternalRow inside = row.getStruct(at, parts.length);
            int first = out.size;
            for (int i = 0; i < parts.length; i++) {
                if (packed && inside.isNullAt(i)) continue;
                if (packed) ((ScalarWriter) parts[i]).value(inside, i, out, true);
                else parts[i].write(inside, i, out);
            }
            if (packed && out.size > first) WireOutput.delimit(first, number, out);
        };
    }

    /** Several arrays as repeated messages. */
    private record ParallelWriter(MessageWriter message, int[] columns, String column) implements FieldWriter {
        @Override
        public void write(SpecializedGetters row, int none, Output out) {
            ArrayData[] arrays = new ArrayData[columns.length];
            for (int i = 0; i < arrays.length; i++) {
                arrays[i] = row.getArray(columns[i]);
                if (arrays[i].numElements() != arrays[0].numElements()) {
                    throw ConditionException.ofExpression("PROTOBUF_UNEQUAL_ARRAYS", java.util.Map.of("column", column));
                }
            }
            for (int k = 0; k < arrays[0].numElements(); k++) message.within(View.across(arrays, k), out);
        }
    }
}
