package sluice.flink;

import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.values.Output;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;

/**
 * Makes the writers of fields' texts, before anything is put in quotes.
 *
 * <p>In an array or a row {@code nothing} is written for NULL, and {@code between} separates elements;
 * {@code plain}: decimals have no exponent.
 */
record FlinkCsvWriters(byte[] between, byte[] nothing, boolean plain) {
    private static final Set<String> NEVER_QUOTED = Set.of("whole", "floating", "exact", "bool");

    ValueWriter of(TypeSpec type) {
        switch (type.kind()) {
            case "items": return array(of(type.inner("item")), between, nothing);
            case "parts":
                var fields = type.fields().stream().map(field -> of(field.type()));
                return row(fields.toArray(ValueWriter[]::new), between, nothing);
            default: return FlinkWrite.scalar(type, false, plain);
        }
    }

    /** Whether values of a type may need quotes. */
    static boolean isText(TypeSpec type) {
        return !NEVER_QUOTED.contains(type.kind());
    }

    private static ValueWriter array(ValueWriter item, byte[] between, byte[] nothing) {
        return (row, at, out) -> {
            ArrayData items = row.getArray(at);
            for (int i = 0; i < items.numElements(); i++) element(item, items, i, between, nothing, out);
        };
    }

    private static ValueWriter row(ValueWriter[] fields, byte[] between, byte[] nothing) {
        return (row, at, out) -> {
            InternalRow inner = row.getStruct(at, fields.length);
            for (int i = 0; i < fields.length; i++) element(fields[i], inner, i, between, nothing, out);
        };
    }

    private static void element(
            ValueWriter value, SpecializedGetters row, int at, byte[] between, byte[] nothing, Output out) {
        if (at > 0) out.put(between);
        if (row.isNullAt(at)) out.put(nothing);
        else value.plain(row, at, out);
    }
}
