package sluice.values;

/** Makes the writers of a table's types, as ClickHouse's settings have them. */
public final class ValueWriters {
    private final Settings settings;

    public ValueWriters(Settings settings) {
        this.settings = settings;
    }

    /** The writer of a column: in some formats every value is a string that has the value's text. */
    public ValueWriter column(TypeSpec type) {
        ValueWriter value = of(type);
        return settings.fixed("strings") ? new WholeTexts.Writer(value, Escapes.json(settings)) : value;
    }

    /** The writer of a type. */
    public ValueWriter of(TypeSpec type) {
        switch (type.kind()) {
            case "whole":
                boolean large = type.json().get("low").asLong() == Long.MIN_VALUE;
                return new ScalarWriters.IntValue(type.bits(), large && quoted("64bit_integers"));
            case "unsigned64":
                return new ScalarWriters.DecimalValue(20, 0, false, quoted("64bit_integers"));
            case "floating":
                boolean small = type.bits() == 32;
                return new ScalarWriters.Floating(small, !small && quoted("64bit_floats"),
                    quoted("denormals"));
            case "bfloat16": return new ScalarWriters.Floating(true, false, quoted("denormals"));
            case "exact":
                return new ScalarWriters.DecimalValue(type.precision(), type.scale(),
                    settings.flag("output_format_decimal_trailing_zeros"), quoted("decimals"));
            case "bool":
                return new ScalarWriters.Bool(settings.bytes("bool_true_representation"),
                    settings.bytes("bool_false_representation"));
            case "text":
            case "fixed":
            case "choice":
                return new ScalarWriters.Text(Escapes.json(settings));
            case "uuid": return ScalarWriters.UNESCAPED;
            case "day": return TimeWriters.DAY;
            case "instant":
                return new TimeWriters.Instant(type.precision(), type.json().path("zone").asText(null),
                    settings.text("date_time_output_format"), settings.fixed(EncodedValues.GROUPED));
            case "json":
                return new JsonDocuments.Writer(settings.fixed(JsonDocuments.AS_STORED),
                    settings.flag("output_format_json_escape_forward_slashes"), quoted("64bit_integers"),
                    quoted("64bit_floats"), settings.fixed(JsonDocuments.ESCAPED_DOTS));
            case "encoded":
                return EncodedValues.writer(Encoding.of(type.json().get("type").asText()), settings);
            case "items": return new NestedWriters.ArrayValue(of(type.inner("item")));
            case "pairs":
                return new NestedWriters.MapValue(of(type.inner("key")), of(type.inner("value")),
                    settings.flag("output_format_json_map_as_array_of_tuples"),
                    settings.flag("output_format_json_named_tuples_as_objects"));
            case "parts":
                boolean objects = settings.flag("output_format_json_named_tuples_as_objects");
                var parts = type.fields().stream().map(field -> of(field.type())).toList();
                var names = type.fields().stream().map(TypeSpec.Column::name).toList();
                return new NestedWriters.StructValue(parts, objects && type.isNamed() ? names : null,
                    Escapes.json(settings),
                    settings.flag("output_format_json_skip_null_value_in_named_tuples"));
            default: throw type.unknown();
        }
    }

    private boolean quoted(String what) {
        return settings.flag("output_format_json_quote_" + what);
    }
}
