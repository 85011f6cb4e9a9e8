package sluice.protobuf;

import com.fasterxml.jackson.databind.node.ObjectNode;
import sluice.values.TypeSpec;

/** Makes the readers of fields as ClickHouse reads them. */
final class ClickHouseReaders implements Readers {
    private final ScalarReaders scalars;

    ClickHouseReaders(ScalarReaders scalars) {
        this.scalars = scalars;
    }

    @Override
    public Object missing(TypeSpec type) {
        return scalars.missing(type);
    }

    @Override
    public FieldReader of(Plan plan, String column) {
        if (plan instanceof Plan.Value value) return scalars.of(value.type(), value.field(), column);
        if (plan instanceof Plan.ArrayValue items) return new NestedFields.ArrayValue(of(items.item(), column), items.type().takesNull());
        if (plan instanceof Plan.MapValue pairs) {
            return new NestedFields.MapValue(new NestedFields.Struct(new MessageReader(pairs.entry().message(), this), false));
        }
        if (plan instanceof Plan.Struct struct) {
            return new NestedFields.Struct(new MessageReader(struct.message(), this), struct.type().takesNull());
        }
        if (plan instanceof Plan.Only only) return new NestedFields.Only(new MessageReader(only.message(), this), false, null);
        if (plan instanceof Plan.Wrapper wrapper) return wrapper(wrapper);
        if (plan instanceof Plan.Parts parts) {
            FieldReader[] made = parts.parts().stream().map(part -> of(part, column)).toArray(FieldReader[]::new);
            return new NestedFields.Parts(made, "Column '" + column + "': More than " + made.length + " elements was read from"
                + " the field '" + parts.field().fullName() + "' to fit in the data type " + parts.type().name());
        }
        throw new IllegalArgumentException(String.valueOf(plan));
    }

    /** A wrapper without its value has the type's default, even where no wrapper is NULL. */
    private FieldReader wrapper(Plan.Wrapper plan) {
        Plan.Part part = plan.message().parts().get(0);
        ObjectNode plain = plan.type().json().deepCopy();
        TypeSpec type = new TypeSpec(plain.put("nullable", false));
        Plan.Value value = new Plan.Value(type, part.field());
        Plan.Message inside = new Plan.Message(plan.message().message(), plan.message().field(), plan.message().columns(),
            java.util.List.of(new Plan.Part(part.field(), part.columns(), part.column(), value)), java.util.List.of());
        MessageReader message = new MessageReader(inside, this);
        return new NestedFields.Only(message, plan.type().takesNull(), null);
    }
}
