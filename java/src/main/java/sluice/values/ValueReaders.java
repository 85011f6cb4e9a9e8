package sluice.values;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import sluice.scan.JsonCursor;

/** Makes the readers of a table's types, as ClickHouse's settings have them. */
public final class ValueReaders {
    /** Set for formats whose values are read here only in the form in which ClickHouse writes them. */
    private static final String CANONICAL = "canonical";

    private final Settings settings;
    private final boolean numbered;

    /** {@code numbered}: whether an enum is read by its number alone. */
    public ValueReaders(Settings settings, boolean numbered) {
        this.settings = settings;
        this.numbered = numbered;
    }

    /** Whether a column that is omitted is NULL, whatever its type. */
    public boolean omittedIsNull() {
        return settings.fixed("input_format_force_null_for_omitted_fields");
    }

    /** The reader of a column: in some formats every value is a string that has the value's text. */
    public ValueReader column(TypeSpec type) {
        ValueReader value = of(type);
        return settings.fixed("strings") ? new WholeTexts.Reader(value) : value;
    }

    /** The reader of a type. */
    public ValueReader of(TypeSpec type) {
        ValueReader made = made(type);
        made.strict = !type.takesNull() && !settings.flag("input_format_null_as_default");
        made.emptyIsDefault = settings.flag("input_format_json_empty_as_default");
        if (!settings.fixed(CANONICAL)) return made;
        return CanonicalReader.of(made, type, !settings.text("date_time_input_format").equals("basic"));
    }

    private ValueReader made(TypeSpec type) {
        String name = type.name();
        boolean nullable = type.nullable();
        switch (type.kind()) {
            case "whole":
                return new NumberReaders.IntValue(name, type.bits(), type.json().get("low").asLong(),
                    type.json().get("high").asLong(), flags(), nullable);
            case "unsigned64": return new NumberReaders.Unsigned64(name, flags(), nullable);
            case "floating":
                return new NumberReaders.Floating(name, type.bits() == 32, flags(), nullable);
            case "bfloat16": return new NumberReaders.Upper(name, flags(), nullable);
            case "exact":
                return new NumberReaders.DecimalValue(name, type.precision(), type.scale(), nullable);
            case "bool": return new TextReaders.Bool(name, settings.text("bool_true_representation"),
                settings.text("bool_false_representation"), nullable);
            case "text": return new TextReaders.Plain(name, kinds(), nullable);
            case "fixed": return new TextReaders.Fixed(name, type.json().get("length").asInt(), nullable);
            case "uuid": return new TextReaders.Uuid(name, nullable);
            case "choice": return choice(name, type, nullable);
            case "day": return new TimeReaders.Day(name, name.equals("Date") ? overflow() : Overflow.IGNORE, nullable);
            case "instant":
                return new TimeReaders.Instant(name, type.precision(), type.json().path("zone").asText(null),
                    settings.text("date_time_input_format"), overflow(), nullable);
            case "json": return JsonDocuments.Reader.of(name, this, type.json(), nullable);
            case "encoded": return encoded(name, Encoding.of(type.json().get("type").asText()), type);
            case "items": return new NestedReaders.ArrayValue(name, of(type.inner("item")), nullable);
            case "pairs":
                return new NestedReaders.MapValue(name, of(type.inner("key")), of(type.inner("value")),
                    settings.fixed("input_format_json_map_as_array_of_tuples"), nullable);
            case "parts":
                boolean objects = settings.flag("input_format_json_named_tuples_as_objects");
                var parts = type.fields().stream().map(field -> of(field.type())).toList();
                var names = type.fields().stream().map(TypeSpec.Column::name).toList();
                return new NestedReaders.StructValue(name, parts, objects && type.isNamed() ? names : null,
                    !settings.flag("input_format_json_defaults_for_missing_elements_in_named_tuple"),
                    !settings.flag("input_format_json_ignore_unknown_keys_in_named_tuple"), nullable);
            default: throw type.unknown();
        }
    }

    private ValueReader encoded(String name, Encoding encoding, TypeSpec type) {
        String form = settings.text("date_time_input_format");
        if (encoding instanceof Clocks.Instant instant && !form.equals("basic")) {
            return new EncodedValues.BestEffort(name, instant, form.equals("best_effort_us"), type.nullable());
        }
        return new EncodedValues.Reader(name, encoding, flags(), type.nullable());
    }

    JsonDocuments.Rules jsonRules() {
        return JsonDocuments.Rules.of(settings);
    }

    private Overflow overflow() {
        String named = settings.textOrNull("date_time_overflow_behavior");
        return named == null ? Overflow.IGNORE : Overflow.valueOf(named.toUpperCase(Locale.ROOT));
    }

    private boolean flags() {
        return settings.flag("input_format_json_read_bools_as_numbers");
    }

    /** The kinds of JSON values that may be a text. */
    private int kinds() {
        int kinds = 1 << JsonCursor.STRING;
        if (settings.flag("input_format_json_read_numbers_as_strings")) kinds |= 1 << JsonCursor.NUMBER;
        if (settings.flag("input_format_json_read_bools_as_strings")) kinds |= 1 << JsonCursor.BOOL;
        if (settings.flag("input_format_json_read_arrays_as_strings")) kinds |= 1 << JsonCursor.LIST;
        if (settings.flag("input_format_json_read_objects_as_strings")) kinds |= 1 << JsonCursor.OBJECT;
        return kinds;
    }

    private ValueReader choice(String name, TypeSpec type, boolean nullable) {
        Map<String, String> names = new HashMap<>();
        type.json().get("values").forEach(value -> names.put(value.get(1).asText(), value.get(0).asText()));
        if (!numbered) {
            type.json().get("values").forEach(value -> names.put(value.get(0).asText(), value.get(0).asText()));
        }
        return new TextReaders.EnumValue(name, names, type.json().get("values").get(0).get(0).asText(), nullable);
    }
}
