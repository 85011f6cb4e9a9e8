package sluice.protobuf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sluice.values.TypeSpec;

/** The schema that a table's columns make where none is set: numbers as they are, everything else as bytes. */
final class GeneratedSchema {
    static final String MESSAGE = "Message";
    private static final Set<String> LABELLED = Set.of("items", "pairs", "parts");
    private static final Set<String> FLINK = Set.of("bool", "whole", "floating", "bytes");

    private final StringBuilder out = new StringBuilder();
    private final boolean shared;
    private final boolean flink;

    private GeneratedSchema(boolean shared, boolean flink) {
        this.shared = shared;
        this.flink = flink;
    }

    static String of(List<TypeSpec.Column> columns) {
        return new GeneratedSchema(false, false).file(MESSAGE, columns);
    }

    /** One for others to read too: texts are texts, and in Flink's a value that is NULL differs from the default. */
    static String registered(List<TypeSpec.Column> columns, String name, boolean flink) {
        return new GeneratedSchema(true, flink).file(name, columns);
    }

    private String file(String name, List<TypeSpec.Column> columns) {
        out.append("syntax = \"proto3\";\n\n");
        message(name, columns, 0);
        return out.toString();
    }

    private void line(int indent, String text) {
        out.append(" ".repeat(4 * indent)).append(text).append('\n');
    }

    private void message(String name, List<TypeSpec.Column> columns, int indent) {
        line(indent, "message " + name);
        line(indent, "{");
        int number = 1;
        for (Object each : collected(columns)) {
            if (each instanceof TypeSpec.Column column) {
                String type = type(column.type(), column.name(), indent + 1);
                String label = flink && !LABELLED.contains(column.type().kind()) ? "optional " : "";
                line(indent + 1, label + type + " " + fieldName(column.name()) + " = " + number++ + ";");
            } else {
                Nested nested = (Nested) each;
                message(messageName(nested.name), nested.columns, indent + 1);
                line(indent + 1, messageName(nested.name) + " " + fieldName(nested.name) + " = " + number++ + ";");
            }
        }
        line(indent, "}");
    }

    /** Columns whose names begin with the same word and a dot. */
    private record Nested(String name, List<TypeSpec.Column> columns) {}

    /** Columns without a dot, and then those with one, as messages. */
    private static List<Object> collected(List<TypeSpec.Column> columns) {
        List<Object> found = new ArrayList<>();
        Map<String, Nested> nested = new LinkedHashMap<>();
        for (TypeSpec.Column each : columns) {
            int dot = each.name().indexOf('.');
            if (each.name().isEmpty() || Character.isDigit(each.name().charAt(0))) {
                throw SchemaError.columns("Format Protobuf doesn't support field names that starts with a digit: '" + each.name() + "'");
            }
            if (dot < 0) {
                found.add(each);
                continue;
            }
            String first = each.name().substring(0, dot);
            nested.computeIfAbsent(first, name -> new Nested(name, new ArrayList<>())).columns
                .add(new TypeSpec.Column(each.name().substring(dot + 1), each.type(), false));
        }
        found.addAll(nested.values());
        return found;
    }

    /** With a small letter first, and after that until there is one. */
    private String fieldName(String column) {
        if (flink) return column;
        StringBuilder found = new StringBuilder(column);
        for (int i = 0; i < found.length() && !Character.isLowerCase(found.charAt(i)); i++) {
            found.setCharAt(i, Character.toLowerCase(found.charAt(i)));
        }
        return found.toString();
    }

    private String messageName(String column) {
        if (flink) return column + "Row";
        return Character.toUpperCase(column.charAt(0)) + column.substring(1);
    }

    private String type(TypeSpec type, String column, int indent) {
        switch (type.kind()) {
            case "items": return array(type.inner("item"), column, indent);
            case "pairs": return map(type, column, indent);
            case "parts":
                message(messageName(column), elements(type), indent);
                return messageName(column);
            case "choice": return choices(type, column, indent);
            default: return scalar(type);
        }
    }

    private static List<TypeSpec.Column> elements(TypeSpec type) {
        if (type.isNamed()) return type.fields();
        List<TypeSpec.Column> found = new ArrayList<>();
        for (TypeSpec.Column each : type.fields()) found.add(new TypeSpec.Column("e" + (found.size() + 1), each.type(), false));
        return found;
    }

    private static boolean isRepeated(TypeSpec type) {
        return type.kind().equals("items") || type.kind().equals("pairs");
    }

    /** The name of a message that holds nothing but a field. */
    private String only(String name, TypeSpec type, String field, int indent) {
        line(indent, "message " + name);
        line(indent, "{");
        line(indent + 1, type(type, field, indent + 1) + " " + fieldName(field) + " = 1;");
        line(indent, "}");
        return name;
    }

    private String array(TypeSpec item, String column, int indent) {
        boolean nested = isRepeated(item);
        return "repeated " + (nested ? only(messageName(column), item, column, indent) : type(item, column, indent));
    }

    private String map(TypeSpec type, String column, int indent) {
        String key = scalar(type.inner("key"));
        if (key.equals("bytes")) key = "string";
        TypeSpec value = type.inner("value");
        String called = column + "Value";
        String held = isRepeated(value) ? only(messageName(called), value, called, indent) : type(value, called, indent);
        return "map<" + key + ", " + held + ">";
    }

    private String choices(TypeSpec type, String column, int indent) {
        line(indent, "enum " + messageName(column));
        line(indent, "{");
        List<Map.Entry<String, Integer>> names = new ArrayList<>(new EnumNames(type).numbers.entrySet());
        names.sort(Comparator.comparingInt(Map.Entry::getValue));
        for (int i = 0; i < names.size(); i++) line(indent + 1, names.get(i).getKey() + " = " + i + ";");
        line(indent, "}");
        return messageName(column);
    }

    private String scalar(TypeSpec type) {
        if (shared && (type.kind().equals("text") || type.kind().equals("choice") || type.kind().equals("uuid"))) return "string";
        if (flink && !FLINK.contains(type.kind())) {
            throw SchemaError.columns("Unsupported to derive Schema for type: " + type.name());
        }
        switch (type.kind()) {
            case "whole":
                boolean signed = type.json().get("low").asLong() < 0;
                boolean large = type.json().get("high").asLong() > (signed ? Integer.MAX_VALUE : (1L << 32) - 1);
                return (signed ? "int" : "uint") + (large ? "64" : "32");
            case "unsigned64": return "uint64";
            case "floating": return type.bits() == 32 ? "float" : "double";
            case "bool": return "bool";
            case "day": return type.name().equals("Date") ? "uint32" : "int32";
            case "instant": return type.precision() < 0 ? "uint32" : "uint64";
            case "encoded":
                if (type.name().equals("IPv4")) return "uint32";
                return type.name().startsWith("DateTime64") ? "uint64" : "bytes";
            case "json": throw SchemaError.columns("Type " + type.name() + " is not supported for conversion into Protobuf schema");
            default: return "bytes";
        }
    }
}
