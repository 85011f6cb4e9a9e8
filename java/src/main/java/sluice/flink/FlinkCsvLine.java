package sluice.flink;

import java.util.Arrays;
import sluice.scan.BadValue;
import sluice.scan.Cursor;

/** A place in a line: field by field, split where Flink's parser splits it. */
final class FlinkCsvLine extends Cursor {
    private final FlinkCsvMarks marks;
    private boolean over; // whether the line or the message has ended
    private byte[] copy;
    private int size;

    FlinkCsvLine(byte[] message, FlinkCsvMarks marks) {
        super(message, 0, message.length);
        this.marks = marks;
    }

    /** Go to the first field; whether there is anything. */
    boolean begin() {
        skipMark();
        skipComments();
        if (marks.skipsFirst) {
            passLine();
            skipComments();
        }
        return at < end;
    }

    private void skipComments() {
        if (!marks.comments) return;
        while (at < end) {
            byte b = bytes[at];
            if (b == '#') passLine();
            else if (b == '\r' || b == '\n' || b == ' ') at++;
            else return;
        }
    }

    private void passLine() {
        while (at < end && !lineEnd(bytes[at])) at++;
        if (at < end && bytes[at++] == '\r') is('\n');
    }

    private static boolean lineEnd(byte b) {
        return b == '\n' || b == '\r';
    }

    private boolean starts(byte[] mark) {
        return at < end && bytes[at] == mark[0]
            && (mark.length == 1 || FlinkCsvMarks.starts(mark, bytes, at, end));
    }

    /** Read the next field; whether there is one. What it says is from {@code from} to {@code to}. */
    boolean next() {
        if (over) return false;
        if (marks.trims) {
            while (at < end && blank(bytes[at]) && !lineEnd(bytes[at]) && !starts(marks.delimiter)) at++;
        }
        if (marks.quote != null && starts(marks.quote)) quoted();
        else bare();
        return true;
    }

    private static boolean blank(byte b) {
        return b >= 0 && b <= ' ';
    }

    private void bare() {
        byte[] b = bytes;
        byte delimiter = marks.delimiter[0];
        int escape = marks.escape == null ? 256 : marks.escape[0];
        int first = at;
        copy = null;
        while (at < end) {
            byte c = b[at];
            if (c == delimiter && starts(marks.delimiter) || c == '\n' || c == '\r') break;
            if (c == escape && starts(marks.escape)) {
                escaped(first);
                first = at;
            } else {
                at++;
            }
        }
        finish(first, marks.trims);
        ends();
    }

    private void quoted() {
        byte[] b = bytes;
        byte quote = marks.quote[0];
        int escape = marks.escape == null ? 256 : marks.escape[0];
        at += marks.quote.length;
        int first = at;
        copy = null;
        while (true) {
            if (at == end) throw new BadValue("Missing closing quote for value");
            byte c = b[at];
            if (c == quote && starts(marks.quote)) {
                int last = at;
                at += marks.quote.length;
                if (!starts(marks.quote)) {
                    int after = at;
                    at = last;
                    finish(first, false);
                    at = after;
                    break;
                }
                add(first, at);
                at += marks.quote.length;
                first = at;
            } else if (c == escape && starts(marks.escape)) {
                escaped(first);
                first = at;
            } else {
                at++;
            }
        }
        while (at < end && blank(b[at]) && !lineEnd(b[at]) && !starts(marks.delimiter)) at++;
        if (at < end && !lineEnd(b[at]) && !starts(marks.delimiter)) {
            throw new BadValue("Unexpected character ("
                + FlinkCsvMarks.shown(Arrays.copyOfRange(b, at, Math.min(end, at + 4)))
                + "): Expected column separator character ("
                + FlinkCsvMarks.shown(marks.delimiter) + ") or end-of-line");
        }
        ends();
    }

    /** Go to the byte after what ends a field. */
    private void ends() {
        if (at < end && starts(marks.delimiter)) at += marks.delimiter.length;
        else over = true;
    }

    /** Take what stood before an escape, and what it stands for. */
    private void escaped(int first) {
        add(first, at);
        at += marks.escape.length;
        if (at == end) throw new BadValue("Unexpected EOF in escaped character");
        byte c = bytes[at++];
        if (c < 0) {
            int begin = at - 1;
            while (at < end && (bytes[at] & 0xC0) == 0x80) at++;
            add(begin, at);
            return;
        }
        int meant = c == '0' ? 0 : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
        add(at - 1, at);
        copy[size - 1] = (byte) meant;
    }

    private void add(int first, int last) {
        int needed = last - first + 1;
        if (copy == null) {
            copy = new byte[2 * needed];
            size = 0;
        } else if (size + needed > copy.length) {
            copy = Arrays.copyOf(copy, 2 * (size + needed));
        }
        System.arraycopy(bytes, first, copy, size, last - first);
        size += last - first;
    }

    private void finish(int first, boolean trims) {
        if (copy == null) {
            slice(first, at);
        } else {
            add(first, at);
            unescaped(copy, size, at);
        }
        while (trims && to > from && blank(text[to - 1])) to--;
    }
}
