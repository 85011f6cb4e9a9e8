package sluice.binary;

import java.util.List;
import java.util.stream.Collectors;

/** A type as messages name it: {@code Array(Tuple(a UInt8, b Enum8('x' = 1)))}. */
record TypeTree(String name, List<Part> parts) {
    static final String SKIP = "SKIP";
    static final String SKIP_REGEXP = "SKIP REGEXP";

    /** An argument: a type, perhaps with a name; a text, perhaps with a number; a number, perhaps with a name. */
    record Part(String name, TypeTree type, String text, Long number) {
        static Part of(TypeTree type) {
            return new Part(null, type, null, null);
        }

        static Part of(String name, TypeTree type) {
            return new Part(name, type, null, null);
        }

        static Part of(long number) {
            return new Part(null, null, null, number);
        }

        static Part of(String text) {
            return new Part(null, null, text, null);
        }

        @Override
        public String toString() {
            if (type != null) return name == null ? type.toString() : quotedIfNeeded(name) + " " + type;
            if (text == null) return name == null ? number.toString() : name + "=" + number;
            if (number != null) return quoted(text, '\'') + " = " + number;
            if (name == null) return quoted(text, '\'');
            return name + " " + (name.equals(SKIP) ? quotedIfNeeded(text) : quoted(text, '\''));
        }
    }

    static TypeTree of(String name, Part... parts) {
        return new TypeTree(name, List.of(parts));
    }

    /** The type that is an argument. */
    TypeTree inner(int at) {
        return parts.get(at).type();
    }

    /** As ClickHouse writes it. */
    @Override
    public String toString() {
        if (parts.isEmpty() && !name.equals("Tuple")) return name;
        return name + parts.stream().map(Part::toString).collect(Collectors.joining(", ", "(", ")"));
    }

    private static String quotedIfNeeded(String name) {
        return name.matches("[A-Za-z_][A-Za-z0-9_.]*") ? name : quoted(name, '`');
    }

    private static String quoted(String text, char quote) {
        StringBuilder found = new StringBuilder().append(quote);
        for (char c : text.toCharArray()) {
            int escape = "\b\f\n\r\t\0".indexOf(c);
            if (escape >= 0) found.append('\\').append("bfnrt0".charAt(escape));
            else if (c == quote || c == '\\') found.append('\\').append(c);
            else found.append(c);
        }
        return found.append(quote).toString();
    }
}
