package sluice.text;

import sluice.scan.BackslashEscapes;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.scan.QuotedText;
import sluice.values.NestedReaders;
import sluice.values.Settings;
import sluice.values.ValueReader;

/** Fields with tabs between them, with backslashes before what would end them, or raw: without any. */
public final class TsvDecoder extends SeparatedDecoder {
    private final boolean emptyIsDefault;
    private final boolean withReturns;
    private final boolean raw;

    public TsvDecoder(String columns, Settings settings) {
        super(columns, settings, "tsv");
        emptyIsDefault = settings.flag("input_format_tsv_empty_as_default");
        withReturns = settings.flag("input_format_tsv_crlf_end_of_line");
        raw = settings.fixed("raw");
    }

    @Override
    Object value(FieldCursor in, ValueReader value) {
        if (isNull(in)) return value.none();
        if (value instanceof NestedReaders.Holder && !raw) return holder(in, value);
        int first = in.at;
        field(in);
        if (in.at == first && emptyIsDefault) return value.missing;
        return in.at > first || raw ? value.field(in) : value.empty();
    }

    /** A list, a map or a tuple: it ends where its bracket is closed. */
    private Object holder(FieldCursor in, ValueReader value) {
        if (emptyIsDefault && (ends(in) || in.bytes[in.at] == '\t')) return value.missing;
        if (ends(in) || in.bytes[in.at] <= ' ') throw in.expected("a value");
        QuotedText inside = new QuotedText(in.bytes, in.at, in.end);
        Object found = value.quoted(inside);
        in.at = inside.at;
        return found;
    }

    @Override
    void field(FieldCursor in) {
        if (raw) raw(in);
        else escaped(in, withReturns, (byte) '\t');
    }

    /** Read up to a tab or a line end; a carriage return is a part of the field. */
    static void raw(FieldCursor in) {
        byte[] b = in.bytes;
        int i = in.at;
        while (i < in.end && b[i] != '\t' && b[i] != '\n') i++;
        in.slice(in.at, i);
        in.at = i;
    }

    /** Read up to a tab, a line end or another byte. */
    static void escaped(FieldCursor in, boolean withReturns, byte stop) {
        byte[] b = in.bytes;
        int first = in.at;
        int i = first;
        for (; i < in.end; i++) {
            byte c = b[i];
            if (c == '\t' || c == '\n' || c == stop) break;
            if (c == '\\') {
                unescaped(in, i, withReturns, stop);
                return;
            }
            if (c == '\r' && withReturns && i + 1 < in.end && b[i + 1] == '\n') break;
        }
        in.slice(first, i);
        in.at = i;
    }

    private static void unescaped(FieldCursor in, int i, boolean withReturns, byte stop) {
        byte[] b = in.bytes;
        int last = i;
        while (last < in.end && b[last] != '\t' && b[last] != '\n') last += b[last] == '\\' ? 2 : 1;
        byte[] out = new byte[Math.min(last, in.end) - in.at];
        int n = i - in.at;
        System.arraycopy(b, in.at, out, 0, n);
        while (i < in.end) {
            byte c = b[i];
            if (c == '\t' || c == '\n' || c == stop) break;
            if (c == '\r' && withReturns && i + 1 < in.end && b[i + 1] == '\n') break;
            i++;
            if (c == '\\') {
                long read = BackslashEscapes.read(b, i, in.end, out, n);
                i = (int) (read >>> 32);
                n = (int) read;
            } else {
                out[n++] = c;
            }
        }
        in.unescaped(out, n, i);
    }

    @Override
    boolean between(FieldCursor in) {
        return in.is('\t');
    }

    @Override
    String delimiter() {
        return "'\\t'";
    }

    @Override
    boolean ends(FieldCursor in) {
        if (in.at == in.end || in.bytes[in.at] == '\n') return true;
        return withReturns && !raw && in.bytes[in.at] == '\r' && in.at + 1 < in.end && in.bytes[in.at + 1] == '\n';
    }

    @Override
    void end(FieldCursor in) {
        if (!ends(in)) throw in.expected("'\\n'");
        if (in.at == in.end) return;
        if (in.bytes[in.at] == '\r') in.at++;
        else if (!(raw && withReturns) && in.at > 0 && in.bytes[in.at - 1] == '\r') {
            throw new BadValue("You have carriage return (\\r) at end of row. Lines of TabSeparated end "
                + "with \\n alone, unless input_format_tsv_crlf_end_of_line = 1");
        }
        in.at++;
    }

    @Override
    boolean headerNeeded() {
        return false;
    }
}
