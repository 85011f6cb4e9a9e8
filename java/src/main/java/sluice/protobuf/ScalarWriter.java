package sluice.protobuf;

import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.errors.ConditionException;
import sluice.values.Output;

/** Writes a field of one value; what is the default is left out where that means the same. */
abstract class ScalarWriter implements FieldWriter {
    final FieldType type;
    private final int number;
    private final boolean skipsZero;
    private final String field;
    private final String column;

    ScalarWriter(Proto.Field field, String column) {
        this.type = field.type;
        this.number = field.number;
        this.skipsZero = !field.repeated && !field.required && !field.presence && !field.owner.isMapEntry;
        this.field = field.name;
        this.column = column;
    }

    /** Write what is not NULL; a {@code bare} value has no key before it, as in a packed field. */
    abstract void value(SpecializedGetters row, int at, Output out, boolean bare);

    @Override
    public void write(SpecializedGetters row, int at, Output out) {
        if (!row.isNullAt(at)) value(row, at, out, false);
    }

    /** An integer, as bits. */
    final void whole(long bits, Output out, boolean bare) {
        if (bits == 0 && skipsZero && !bare) return;
        if (!bare) WireOutput.key(number, type.wire, out);
        switch (type.wire) {
            case ProtoCursor.VARINT:
                boolean zigzag = type == FieldType.SINT32 || type == FieldType.SINT64;
                WireOutput.varint(zigzag ? bits << 1 ^ bits >> 63 : bits, out);
                break;
            case ProtoCursor.FIXED32: out.putLowInt((int) bits); break;
            default: out.room(8); out.putLowLong(bits);
        }
    }

    final void floating(double value, Output out, boolean bare) {
        if (value == 0 && skipsZero && !bare) return;
        if (!bare) WireOutput.key(number, type.wire, out);
        if (type == FieldType.FLOAT) {
            out.putLowInt(Float.floatToRawIntBits((float) value));
        } else {
            out.room(8);
            out.putLowLong(Double.doubleToRawLongBits(value));
        }
    }

    /** Make a text of what was put since a position. */
    final void text(int first, Output out) {
        if (out.size == first && skipsZero) return;
        WireOutput.delimit(first, number, out);
    }

    final ConditionException cannot(Object value, String from) {
        return ConditionException.ofExpression("PROTOBUF_BAD_CAST", Map.of("value", String.valueOf(value), "from", from,
            "to", type.word(), "field", field, "column", column));
    }
}
