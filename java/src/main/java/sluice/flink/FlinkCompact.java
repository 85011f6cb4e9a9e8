package sluice.flink;

import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Escapes;
import sluice.values.Output;

/** JSON as Jackson writes it again: without blanks, and with numbers in Java's words. */
final class FlinkCompact {
    private static final int DEEPEST = 1000;

    private FlinkCompact() {}

    /** Write the list or object that comes next. */
    static void write(JsonCursor in, Output out) {
        value(in, in.next(), out, 0);
    }

    private static void value(JsonCursor in, byte kind, Output out, int depth) {
        switch (kind) {
            case JsonCursor.STRING:
                text(in, out);
                return;
            case JsonCursor.NUMBER:
                number(in, out);
                return;
            case JsonCursor.LIST:
            case JsonCursor.OBJECT:
                if (depth == DEEPEST) throw new BadValue("Cannot parse input: more than " + DEEPEST
                    + " lists and objects within each other");
                held(in, kind == JsonCursor.OBJECT, out, depth);
                return;
            default:
                raw(in, out);
        }
    }

    private static void held(JsonCursor in, boolean object, Output out, int depth) {
        char close = object ? '}' : ']';
        out.put(object ? '{' : '[');
        in.at++;
        for (boolean more = !in.took(close); more; ) {
            if (object) {
                in.key();
                text(in, out);
                out.put(':');
            }
            value(in, in.next(), out, depth + 1);
            more = in.another(close);
            if (more) out.put(',');
        }
        out.put(close);
    }

    private static void text(JsonCursor in, Output out) {
        int first = out.open('"');
        raw(in, out);
        out.close(first, Escapes.JACKSON_TEXT, '"');
    }

    private static void raw(JsonCursor in, Output out) {
        out.put(in.text, in.from, in.to - in.from);
    }

    private static void number(JsonCursor in, Output out) {
        for (int i = in.from; i < in.to; i++) {
            byte c = in.text[i];
            if (c == '.' || c == 'e' || c == 'E') {
                String text = new String(in.text, in.from, in.to - in.from,
                    java.nio.charset.StandardCharsets.ISO_8859_1);
                FlinkWrite.Floating.json(Double.parseDouble(text), out);
                return;
            }
        }
        raw(in, out);
    }
}
