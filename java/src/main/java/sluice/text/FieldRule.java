package sluice.text;

import java.io.Serializable;
import java.util.Arrays;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.values.Settings;
import sluice.values.ValueReader;

/**
 * How a field is written: one of ClickHouse's escaping rules.
 *
 * <p>What a rule takes means the same to ClickHouse. It refuses what would take the whole of ClickHouse's
 * reader to understand, such as blanks around a field: these formats are read by ClickHouse as well.
 */
abstract class FieldRule implements Serializable {
    static FieldRule of(String name, Settings settings) {
        switch (name) {
            case "Escaped": return new EscapedRule(settings, false);
            case "Raw": return new EscapedRule(settings, true);
            case "Quoted": return new QuotedRule();
            case "CSV": return new CsvRule(settings);
            case "JSON": return new JsonRule();
            default: throw new IllegalArgumentException("no field is read with the escaping rule " + name);
        }
    }

    /** The setting that has enums read as numbers, if the rule has one. */
    static String enums(String rule) {
        switch (rule) {
            case "Escaped":
            case "Raw": return "input_format_tsv_enum_as_number";
            case "CSV": return "input_format_csv_enum_as_number";
            default: return null;
        }
    }

    /** Read the value of a field that ends before one of {@code stops}, each of at least a byte, or at the end. */
    abstract Object value(FieldCursor in, ValueReader value, byte[]... stops);

    /** Read a field as a text. */
    abstract void text(FieldCursor in, byte[]... stops);

    /** Read past a field. */
    void skip(FieldCursor in, byte[]... stops) {
        text(in, stops);
    }

    /** Whether these bytes come next; they are not consumed. */
    static boolean follows(FieldCursor in, byte[] wanted) {
        int to = in.at + wanted.length;
        return to <= in.end && Arrays.equals(wanted, 0, wanted.length, in.bytes, in.at, to);
    }

    /** Whether a field ends here. */
    static boolean ends(FieldCursor in, byte[][] stops) {
        if (in.at == in.end) return true;
        for (byte[] stop : stops) {
            if (follows(in, stop)) return true;
        }
        return false;
    }

    /** Consume these bytes, if they come next. */
    static boolean took(FieldCursor in, byte[] wanted) {
        if (!follows(in, wanted)) return false;
        in.at += wanted.length;
        return true;
    }

    /** Consume these bytes, which must come next. */
    static void take(FieldCursor in, byte[] wanted) {
        if (!took(in, wanted)) throw in.expected("'" + BadValue.shown(wanted, 0, wanted.length) + "'");
    }

    /** Begin a message; a byte order mark before it is refused. */
    static void begin(FieldCursor in) {
        in.skipMark();
        if (in.at > 0) throw new BadValue("Cannot parse input: it begins with a byte order mark");
    }

    /** Whether a NULL comes next, which is the whole field; what only begins like one is refused. */
    static boolean isNull(FieldCursor in, byte[] nothing, byte[]... stops) {
        if (nothing.length == 0 || !took(in, nothing)) return false;
        if (ends(in, stops)) return true;
        throw in.expected("the end of the field");
    }

    static void noBlank(FieldCursor in) {
        if (in.at < in.end && in.bytes[in.at] <= ' ' && in.bytes[in.at] >= 0) throw in.expected("a value");
    }

    /** Make sure that a list, a map or a tuple begins here. */
    static void bracket(FieldCursor in) {
        if (in.at == in.end || "[({".indexOf(in.bytes[in.at]) < 0) throw unread(in);
    }

    static BadValue unread(FieldCursor in) {
        return in.expected("a field");
    }
}
