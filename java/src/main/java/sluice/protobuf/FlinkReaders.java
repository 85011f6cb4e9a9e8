package sluice.protobuf;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.NumberReaders;
import sluice.values.TypeSpec;

/** Makes the readers of fields as Flink reads them: what Java's Protobuf makes of a message. */
final class FlinkReaders implements Readers {
    private final boolean defaults;
    private final boolean presence;

    /**
     * {@code defaults}: a field that a message does not have has its default; otherwise it is NULL, if that can be told.
     * In proto3 Flink's protobuf never tells that of plain values; with {@code presence} it is told of those that are optional.
     */
    FlinkReaders(boolean defaults, boolean presence) {
        this.defaults = defaults;
        this.presence = presence;
    }

    @Override
    public Object missing(TypeSpec type) {
        return null;
    }

    @Override
    public FieldReader of(Plan plan, String column) {
        if (plan instanceof Plan.Value value) return new Scalar(value.type(), value.field(), defaults, presence);
        if (plan instanceof Plan.ArrayValue items) return new Whole(new NestedFields.ArrayValue(of(items.item(), column), false), defaults);
        if (plan instanceof Plan.MapValue pairs) {
            FlinkReaders inside = new FlinkReaders(true, presence); // an entry without its key or its value has their defaults
            MessageReader entry = new MessageReader(pairs.entry().message(), inside);
            return new Whole(new NestedFields.MapValue(new NestedFields.Struct(entry, false)), defaults);
        }
        if (plan instanceof Plan.Struct struct) {
            return new Whole(new NestedFields.Struct(new MessageReader(struct.message(), this), false), defaults);
        }
        throw new IllegalArgumentException(String.valueOf(plan));
    }

    /** A value that holds values; where a message has none it is NULL, unless it is to have its default. */
    private static final class Whole extends FieldReader {
        private final FieldReader held;
        private final boolean defaults;

        Whole(FieldReader held, boolean defaults) {
            this.held = held;
            this.defaults = defaults;
        }

        @Override
        Object read(ProtoCursor in, int wire, Object before) {
            Object found = held.read(in, wire, before);
            return found;
        }

        @Override
        Object done(Object read) {
            Object found = held.done(read);
            boolean none = found instanceof ArrayData items && items.numElements() == 0
                || found instanceof MapData map && map.numElements() == 0;
            return none ? missing() : found;
        }

        @Override
        Object missing() {
            return defaults ? held.missing() : null;
        }
    }

    /** A field of one value. */
    private static final class Scalar extends ScalarReader {
        private final boolean text;
        private final boolean strict;
        private final int bits;
        private final Map<Integer, UTF8String> names = new HashMap<>();

        Scalar(TypeSpec spec, Proto.Field field, boolean defaults, boolean presence) {
            super(field, field.name);
            text = spec.kind().equals("text");
            bits = spec.kind().equals("whole") ? spec.bits() : 0;
            strict = field.proto3;
            if (field.type == FieldType.ENUM) {
                field.choices.numbers.forEach((name, number) -> names.putIfAbsent(number, UTF8String.fromString(name)));
            }
            boolean known = field.repeated || field.presence && (presence || !field.proto3);
            if (known && !defaults) otherwise(() -> null);
            else otherwise(() -> value(new ProtoCursor(Defaults.onWire(field))));
        }

        @Override
        Object value(ProtoCursor in) {
            switch (type) {
                case BOOL: return in.varint() != 0;
                case FLOAT: return (float) in.floating(type);
                case DOUBLE: return in.floating(type);
                case STRING: return string(in.text());
                case BYTES: return in.text().getBytes();
                case ENUM: return choice((int) in.varint());
                default:
                    long number = in.whole(type);
                    return bits == 64 ? (Object) number : (Object) (int) number;
            }
        }

        private Object string(UTF8String found) {
            if (found.isValid()) return found;
            if (strict) throw new BadValue("Protocol message had invalid UTF-8.");
            return found.makeValid();
        }

        private Object choice(int number) {
            UTF8String name = names.get(number);
            if (text) return name == null ? UTF8String.fromString("UNRECOGNIZED") : name;
            if (name == null) throw new BadValue("Can't get the number of an unknown enum value.");
            return NumberReaders.boxed(number, bits);
        }
    }
}
