package sluice.flink;

import java.util.List;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;

/**
 * Makes the readers of types in Flink's text formats.
 *
 * <p>{@code lenient}: a value that is wrong is NULL; {@code complete}: fields may not be missing;
 * {@code iso}: timestamps have a T between day and time.
 */
public record FlinkValues(boolean lenient, boolean complete, boolean iso) {
    /** The reader of a row. */
    FlinkNested.StructValue row(String type, List<TypeSpec.Column> fields) {
        List<ValueReader> values = fields.stream().map(field -> of(field.type())).toList();
        List<String> names = fields.stream().map(TypeSpec.Column::name).toList();
        return new FlinkNested.StructValue(type, values, names, complete, lenient);
    }

    /** The reader of a type. */
    public ValueReader of(TypeSpec type) {
        String name = type.name();
        switch (type.kind()) {
            case "whole": return new FlinkNumbers.IntValue(name, type.bits());
            case "floating": return new FlinkNumbers.Floating(name, type.bits() == 32);
            case "exact": return new FlinkNumbers.DecimalValue(name, type.precision(), type.scale());
            case "bool": return FlinkTexts.bool(name);
            case "text": return FlinkTexts.string(name);
            case "bytes": return FlinkTexts.bytes(name);
            case "day": return new FlinkTimes.Day(name);
            case "clock": return new FlinkTimes.Clock(name, type.precision());
            case "local": return new FlinkTimes.Moment(name, type.precision(), iso, false);
            case "instant": return new FlinkTimes.Moment(name, Math.max(type.precision(), 0), iso, true);
            case "interval":
                return type.json().get("months").asBoolean() ? new FlinkNumbers.IntValue(name, 32)
                    : new FlinkNumbers.Millis(name);
            case "nothing": return FlinkTexts.nothing(name);
            case "items": return new FlinkNested.ArrayValue(name, of(type.inner("item")), lenient);
            case "pairs":
                return new FlinkNested.MapValue(name, of(type.inner("key")), of(type.inner("value")), lenient);
            case "parts": return row(name, type.fields());
            default: throw type.unknown();
        }
    }
}
