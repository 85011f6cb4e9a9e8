package sluice.protobuf;

import java.util.Set;
import sluice.values.TypeSpec;

/** Which types of columns and of fields have values of each other. */
final class Compatible {
    private static final Set<String> DATES = Set.of("day", "instant");

    private Compatible() {}

    /** Make sure that a column's values are those of a field. */
    static void check(String column, TypeSpec type, Proto.Field field) {
        FieldType of = field.type;
        boolean fits = switch (type.kind()) {
            case "uuid" -> of.isText();
            case "floating" -> of != FieldType.ENUM;
            case "exact" -> of != FieldType.ENUM;
            case "choice" -> !of.isFloating() && of != FieldType.BOOL;
            case "encoded" -> encoded(type, of);
            default -> !DATES.contains(type.kind()) || of != FieldType.ENUM && of != FieldType.BOOL;
        };
        if (!fits || of.isMessage()) throw incompatible(column, type, field);
        if (type.kind().equals("choice") && of == FieldType.ENUM && !new EnumNames(type).meets(field.choices)) {
            throw SchemaError.columns("Couldn't find mapping between data type " + type.name() + " and the enum '"
                + field.choices.name + "' in the protobuf schema");
        }
    }

    private static boolean encoded(TypeSpec type, FieldType of) {
        if (type.name().equals("IPv6")) return of.isText();
        boolean number = type.name().startsWith("Int") || type.name().startsWith("UInt");
        boolean decimal = type.name().startsWith("Decimal");
        return number || of != FieldType.ENUM && (decimal || of != FieldType.BOOL);
    }

    static RuntimeException incompatible(String column, TypeSpec type, Proto.Field field) {
        return SchemaError.columns("The column '" + column + "' (" + type.name() + ") cannot be serialized to the field '"
            + field.fullName() + "' (" + field.typeName() + ") due to their types are not compatible");
    }
}
