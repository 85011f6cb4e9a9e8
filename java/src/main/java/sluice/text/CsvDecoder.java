package sluice.text;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.values.NestedReaders;
import sluice.values.Settings;
import sluice.values.TextReaders;
import sluice.values.ValueReader;

/** Fields with commas between them, in double quotes where they need to be. */
public final class CsvDecoder extends SeparatedDecoder {
    private final byte delimiter;
    private final boolean singleQuotes;
    private final boolean doubleQuotes;
    private final boolean emptyIsDefault;
    private final boolean badIsDefault;
    private final boolean trim;
    private final boolean bareReturn;
    private final boolean flatTuples;
    private final boolean nestedArrays;
    private final boolean blankDelimiter;
    private final boolean missingIsEmpty;

    public CsvDecoder(String columns, Settings settings) {
        super(columns, settings, "csv");
        delimiter = (byte) settings.text("format_csv_delimiter").charAt(0);
        singleQuotes = settings.flag("format_csv_allow_single_quotes");
        doubleQuotes = settings.flag("format_csv_allow_double_quotes");
        emptyIsDefault = settings.flag("input_format_csv_empty_as_default");
        badIsDefault = settings.flag("input_format_csv_use_default_on_bad_values");
        trim = settings.flag("input_format_csv_trim_whitespaces");
        bareReturn = settings.flag("input_format_csv_allow_cr_end_of_line");
        flatTuples = settings.flag("input_format_csv_deserialize_separate_columns_into_tuple");
        nestedArrays = settings.flag("input_format_csv_arrays_as_nested_csv");
        blankDelimiter = settings.flag("input_format_csv_allow_whitespace_or_tab_as_delimiter");
        missingIsEmpty = settings.flag("input_format_csv_missing_nullable_as_empty_string");
    }

    @Override
    Object value(FieldCursor in, ValueReader value) {
        if (flatTuples && value instanceof NestedReaders.StructValue) return tuple(in, ((NestedReaders.StructValue) value).parts);
        boolean text = value instanceof TextReaders.Plain || value instanceof TextReaders.Fixed;
        if (trim || !text) blanks(in);
        if (isNull(in)) return value.none();
        read(in, !text);
        boolean array = nestedArrays && value instanceof NestedReaders.ArrayValue;
        if (in.from == in.to && !(array && in.inQuotes)) {
            if (in.inQuotes || missingIsEmpty && value instanceof TextReaders.Plain) return value.empty();
            return emptyIsDefault ? value.missing : value.empty();
        }
        try {
            if (array) return array(new FieldCursor(in), ((NestedReaders.ArrayValue) value).item);
            return value.field(in);
        } catch (BadValue bad) {
            if (badIsDefault) return value.missing;
            throw bad;
        }
    }

    /** An array whose elements are fields in a field, with brackets around them or without. */
    private Object array(FieldCursor in, ValueReader item) {
        in.inArray = true;
        blanks(in);
        boolean closed = in.is('[');
        List<Object> found = new ArrayList<>();
        blanks(in);
        if (in.at == in.end) throw in.expected("'[' or an element");
        if (!closed || in.bytes[in.at] != ']') {
            do {
                found.add(value(in, item));
                blanks(in);
            } while (in.is(','));
        }
        if (closed && !in.is(']')) throw in.expected("']'");
        blanks(in);
        if (in.at < in.end) throw in.expected("the end of the array");
        return new GenericArrayData(found.toArray());
    }

    private Object tuple(FieldCursor in, ValueReader[] parts) {
        Object[] found = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            if (i > 0 && !between(in)) throw in.expected(delimiter());
            found[i] = value(in, parts[i]);
        }
        return new GenericInternalRow(found);
    }

    @Override
    void field(FieldCursor in) {
        if (trim) blanks(in);
        read(in, false);
    }

    /** Read a field; around what is no text any quotes will do, and blanks never belong to it. */
    private void read(FieldCursor in, boolean loose) {
        byte quote = in.at < in.end ? in.bytes[in.at] : 0;
        in.inQuotes = quote == '"' && (doubleQuotes || loose) || quote == '\'' && (singleQuotes || loose);
        if (in.inQuotes) {
            quoted(in, quote);
            return;
        }
        byte[] b = in.bytes;
        int first = in.at;
        int i = first;
        while (i < in.end && b[i] != delimiter && b[i] != '\n' && !(b[i] == '\r' && ends(b, i, in.end))) {
            if (in.inArray && loose && (b[i] == ',' || b[i] == ']')) break;
            i++;
        }
        int last = i;
        if (loose || trim && i < in.end) {
            while (last > first && (b[last - 1] == ' ' || b[last - 1] == '\t')) last--;
        }
        in.slice(first, last);
        in.at = i;
    }

    private boolean ends(byte[] b, int i, int end) {
        return b[i] == '\n' || b[i] == '\r' && (bareReturn || i + 1 < end && b[i + 1] == '\n');
    }

    /** Read a field in quotes, which are doubled inside of it. */
    static void quoted(FieldCursor in, byte quote) {
        byte[] b = in.bytes;
        int first = in.at + 1;
        int i = first;
        while (i < in.end && b[i] != quote) i++;
        if (i < in.end && !(i + 1 < in.end && b[i + 1] == quote)) {
            in.slice(first, i);
            in.at = i + 1;
            return;
        }
        int last = i; // no array is longer than the field, or many fields would take as many messages
        while (last < in.end && (b[last] != quote || last + 1 < in.end && b[last + 1] == quote)) {
            last += b[last] == quote ? 2 : 1;
        }
        byte[] out = new byte[last - first];
        int n = i - first;
        System.arraycopy(b, first, out, 0, n);
        while (i < in.end) {
            if (b[i] == quote) {
                if (i + 1 == in.end || b[i + 1] != quote) {
                    in.unescaped(out, n, i + 1);
                    return;
                }
                i++;
            }
            out[n++] = b[i++];
        }
        throw new BadValue("Cannot parse input: a field in quotes is not closed: '"
            + BadValue.shown(b, first - 1, in.end) + "'");
    }

    private void blanks(FieldCursor in) {
        if (blankDelimiter) return;
        while (in.at < in.end && (in.bytes[in.at] == ' ' || in.bytes[in.at] == '\t')) in.at++;
    }

    @Override
    boolean between(FieldCursor in) {
        blanks(in);
        return in.is(delimiter);
    }

    @Override
    String delimiter() {
        return "'" + (char) delimiter + "'";
    }

    @Override
    boolean ends(FieldCursor in) {
        blanks(in);
        return in.at == in.end || ends(in.bytes, in.at, in.end);
    }

    /** A line may have one delimiter more at its end. */
    @Override
    void end(FieldCursor in) {
        if (!ends(in)) {
            int first = in.at;
            if (!between(in) || !ends(in)) {
                in.at = first;
                throw in.expected("the end of the line");
            }
        }
        if (in.at < in.end && in.bytes[in.at] == '\r') in.at++;
        in.is('\n');
    }

    @Override
    boolean headerNeeded() {
        return true;
    }
}
