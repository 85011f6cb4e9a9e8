package sluice.binary;

import java.util.ArrayList;
import java.util.List;
import sluice.binary.TypeTree.Part;
import sluice.scan.BadValue;

/** Reads types from text. */
final class TypeParser {
    private static final int DEEPEST = 300;

    private final String text;
    private int at;
    private int depth;

    private TypeParser(String text) {
        this.text = text;
    }

    /** The type that a text names; what it is called is not looked at. */
    static TypeTree parse(String text) {
        TypeParser in = new TypeParser(text);
        TypeTree found = in.type(in.word());
        in.blanks();
        if (in.at < text.length()) throw in.bad();
        return found;
    }

    private BadValue bad() {
        return new BadValue("Syntax error (data type): failed at position " + (at + 1) + " of '" + BadValue.shown(text) + "'");
    }

    private void blanks() {
        while (at < text.length() && text.charAt(at) <= ' ') at++;
    }

    private boolean took(char wanted) {
        blanks();
        if (at == text.length() || text.charAt(at) != wanted) return false;
        at++;
        return true;
    }

    private char peek() {
        blanks();
        return at < text.length() ? text.charAt(at) : 0;
    }

    /** A name without quotes, perhaps with dots in it; empty if there is none. */
    private String plain() {
        blanks();
        int first = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_'
            || text.charAt(at) == '.')) at++;
        return text.substring(first, at);
    }

    private String word() {
        if (peek() == '`') return quoted('`');
        String found = plain();
        if (found.isEmpty()) throw bad();
        return found;
    }

    private String quoted(char quote) {
        if (!took(quote)) throw bad();
        StringBuilder found = new StringBuilder();
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == quote) {
                at++;
                if (at == text.length() || text.charAt(at) != quote) return found.toString();
            } else if (c == '\\' && at + 1 < text.length()) {
                c = text.charAt(++at);
                int escape = "abefnrtv0".indexOf(c);
                if (escape >= 0) c = "\007\b\033\f\n\r\t\013\0".charAt(escape);
            }
            found.append(c);
        }
        throw bad();
    }

    private TypeTree type(String name) {
        List<Part> parts = new ArrayList<>();
        if (took('(')) {
            if (++depth > DEEPEST) throw new BadValue("Maximum parse depth (" + DEEPEST + ") exceeded");
            boolean json = name.equals("JSON");
            for (boolean more = !took(')'); more; more = another()) parts.add(json ? path() : part());
            depth--;
        }
        return new TypeTree(name, parts);
    }

    private boolean another() {
        if (took(',')) return true;
        if (!took(')')) throw bad();
        return false;
    }

    private Part part() {
        char next = peek();
        if (next == '\'') {
            String value = quoted('\'');
            return new Part(null, null, value, took('=') ? (Long) number() : null);
        }
        if (next == '-' || next >= '0' && next <= '9') return Part.of(number());
        String first = word();
        next = peek();
        if (next == '=') {
            at++;
            return new Part(first, null, null, number());
        }
        if (next == ',' || next == ')' || next == '(') return Part.of(type(first));
        return Part.of(first, type(word()));
    }

    /** A part of JSON: a path with its type, one that is skipped, or a parameter. */
    private Part path() {
        String first = word();
        if (first.equals(TypeTree.SKIP)) {
            String path = word();
            if (path.equals("REGEXP")) return new Part(TypeTree.SKIP_REGEXP, null, quoted('\''), null);
            return new Part(TypeTree.SKIP, null, path, null);
        }
        if (took('=')) return new Part(first, null, null, number());
        return Part.of(first, type(word()));
    }

    private long number() {
        blanks();
        int first = at;
        if (at < text.length() && text.charAt(at) == '-') at++;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
        try {
            return Long.parseLong(text, first, at, 10);
        } catch (NumberFormatException none) {
            throw bad();
        }
    }
}
