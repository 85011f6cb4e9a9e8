package sluice.text;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Arrays;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.scan.FieldCursor;
import sluice.scan.Utf8;
import sluice.values.Settings;

/**
 * Lines that a regular expression matches, with a group for each column.
 *
 * <p>RE2 matches in linear time. What its Java version may take otherwise is left to ClickHouse: classes of
 * Unicode letters, letters in any case, anchors within a line that has more than ASCII.
 */
public final class RegexpDecoder extends RowDecoder<RegexpCursor> {
    private static final java.util.regex.Pattern UNCLEAR = java.util.regex.Pattern.compile("\\\\[pPC]|\\(\\?(?!:|P<)");

    private static final int LONGEST = 1 << 20; // ClickHouse has a limit of time

    private final Pattern pattern; // null: none that is read here
    private final FieldRule rule;
    private final byte[][] stops; // a group is a field to its end, but for one of CSV
    private final boolean skipUnmatched;
    private final boolean asciiOnly;

    public RegexpDecoder(String columns, Settings settings) {
        super(columns, settings, FieldRule.enums(settings.text("format_regexp_escaping_rule")));
        rule = FieldRule.of(settings.text("format_regexp_escaping_rule"), settings);
        stops = rule instanceof CsvRule ? new byte[][] {settings.bytes("format_csv_delimiter")} : new byte[0][];
        skipUnmatched = settings.flag("format_regexp_skip_unmatched");
        String written = settings.text("format_regexp");
        pattern = compiled(written, table.values.length);
        String inner = (written.startsWith("^") ? written.substring(1) : written).replace("[^", "");
        asciiOnly = inner.contains("^") || inner.contains("\\A") || inner.contains("\\b") || inner.contains("\\B");
    }

    private static Pattern compiled(String written, int columns) {
        if (UNCLEAR.matcher(written).find()) return null;
        try {
            Pattern made = Pattern.compile(written);
            return made.groupCount() == columns ? made : null;
        } catch (PatternSyntaxException bad) {
            return null;
        }
    }

    @Override
    protected RegexpCursor open(byte[] message) {
        return new RegexpCursor(message);
    }

    @Override
    protected boolean begin(RegexpCursor in) {
        if (pattern == null) throw new BadValue("Cannot match: the regular expression is left to ClickHouse");
        return true;
    }

    /** Go to the next line that matches. */
    @Override
    protected boolean more(RegexpCursor in, boolean first) {
        while (in.at < in.end) {
            line(in);
            if (in.match.matches()) return true;
            if (!skipUnmatched) throw new BadValue("A line does not match the regular expression");
        }
        return false;
    }

    private void line(RegexpCursor in) {
        byte[] b = in.bytes;
        int from = in.at;
        int to = from;
        while (to < in.end && b[to] != '\n' && b[to] != '\r') to++;
        if (to - from > LONGEST) throw new BadValue("Cannot match: the line is longer than " + LONGEST + " bytes");
        in.line = from == 0 && to == b.length ? b : Arrays.copyOfRange(b, from, to);
        in.at = to;
        in.is('\r');
        if (in.at < in.end && !in.is('\n')) throw in.expected("a line feed");
        if (asciiOnly ? !ascii(in.line) : !Utf8.valid(in.line, 0, in.line.length)) {
            throw new BadValue("Cannot match: the line is no text, or more than ASCII");
        }
        in.match = pattern.matcher(in.line);
    }

    private static boolean ascii(byte[] line) {
        for (byte b : line) {
            if (b < 0) return false;
        }
        return true;
    }

    @Override
    protected Object[] row(RegexpCursor in) {
        Object[] row = table.row();
        for (int i = 0; i < table.values.length; i++) {
            int from = Math.max(in.match.start(i + 1), 0); // a group that is no part of the match is empty
            in.text = in.line;
            in.from = from;
            in.to = Math.max(in.match.end(i + 1), 0);
            FieldCursor field = new FieldCursor(in);
            try {
                row[i + 1] = rule.value(field, table.values[i], stops);
            } catch (BadValue bad) {
                throw table.wrong(bad, i, "column");
            }
            if (field.at < field.end) throw field.expected("the end of the field");
        }
        return table.filled(row);
    }
}
