package sluice.binary;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import sluice.values.TypeSpec;

/** Makes the columns of types. */
final class NativeColumns implements Serializable {
    private final BinaryValues values;

    NativeColumns(BinaryValues values) {
        this.values = values;
    }

    /** The column of a type, as {@link TypeSpecs} describes it. */
    NativeColumn of(TypeSpec type) {
        if (type.json().path("dictionary").asBoolean()) {
            BinaryValue value = values.bare(type);
            if (value.least == 0) throw BinaryValues.unread(type.name());
            return new NativeDictionary(value, type.nullable());
        }
        NativeColumn made = bare(type);
        return type.nullable() ? new NativeColumn.Optional(made) : made;
    }

    private NativeColumn bare(TypeSpec type) {
        switch (type.kind()) {
            case "nothing": return new NativeColumn.Nothing(null);
            case "json": return new NativeColumn.Texts(new NativeColumn.Scalar(values.bare(type)));
            case "items": return new NativeNested.ArrayValue(of(type.inner("item")));
            case "pairs": return new NativeNested.MapValue(of(type.inner("key")), of(type.inner("value")));
            case "parts":
                var parts = type.fields().stream().map(field -> of(field.type())).toList();
                return parts.isEmpty() ? new NativeColumn.Nothing(new GenericInternalRow(0)) : new NativeNested.StructValue(parts);
            case "dynamic":
            case "variant": throw BinaryValues.unread(type.name());
            default: return new NativeColumn.Scalar(values.bare(type));
        }
    }
}
