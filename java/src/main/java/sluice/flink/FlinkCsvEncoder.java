package sluice.flink;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;

/**
 * Flink's csv, written: fields that may need quotes are in quotes. By the parser that Flink uses,
 * those are texts of more than 24 characters, and ones with any character that comes before the
 * delimiter or the quote in the alphabet, such as a blank.
 */
public final class FlinkCsvEncoder extends FlinkEncoder {
    private static final int UNCHECKED = 24;

    private final ValueWriter[] columns;
    private final boolean[] texts;
    private final byte[] delimiter;
    private final byte[] nothing;
    private final byte[] end;
    private final String quote;
    private final String escape;
    private final int safe;
    private final boolean ascii;

    public FlinkCsvEncoder(String described, Settings options) {
        List<TypeSpec.Column> given = TypeSpec.columns(described);
        FlinkCsvMarks marks = new FlinkCsvMarks(options);
        nothing = marks.nothing == null ? new byte[0] : marks.nothing;
        boolean plain = !options.flag("write-bigdecimal-in-scientific-notation");
        FlinkCsvWriters writers = new FlinkCsvWriters(marks.between, nothing, plain);
        columns = new ValueWriter[given.size()];
        texts = new boolean[columns.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = writers.of(given.get(i).type());
            texts[i] = FlinkCsvWriters.isText(given.get(i).type());
        }
        delimiter = marks.delimiter;
        quote = marks.quote == null ? null : new String(marks.quote, StandardCharsets.UTF_8);
        escape = marks.escape == null ? null : new String(marks.escape, StandardCharsets.UTF_8);
        char separator = new String(delimiter, StandardCharsets.UTF_8).charAt(0);
        safe = 1 + Math.max(separator, quote == null ? 0 : quote.charAt(0));
        ascii = safe <= 128 && (escape == null || escape.charAt(0) < 128);
        String line = options.textOrNull("line-delimiter");
        end = line == null ? new byte[0]
            : line.replace("\\r", "\r").replace("\\n", "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] row(InternalRow row) {
        Output out = new Output();
        for (int i = 0; i < columns.length; i++) {
            if (i > 0) out.put(delimiter);
            if (row.isNullAt(i)) {
                out.put(nothing);
                continue;
            }
            int first = out.size;
            columns[i].plain(row, i, out);
            if (quote != null && texts[i]) quoted(out, first);
        }
        out.put(end);
        return out.message();
    }

    private void quoted(Output out, int first) {
        if (ascii) quotedBytes(out, first);
        else quotedText(out, first);
    }

    private void quotedBytes(Output out, int first) {
        byte mark = (byte) quote.charAt(0);
        byte other = (byte) (escape == null ? '\\' : escape.charAt(0)); // a backslash counts anyhow
        int length = 0;
        boolean needed = false;
        for (int i = first; i < out.size; i++) {
            byte b = out.bytes[i];
            if (b >= 0) needed |= b < safe || b == other;
            length += (b & 0xC0) == 0x80 ? 0 : (b & 0xF8) == 0xF0 ? 2 : 1;
        }
        if (!needed && length <= UNCHECKED) return;
        byte[] text = Arrays.copyOfRange(out.bytes, first, out.size);
        out.size = first;
        out.put(mark);
        for (byte b : text) {
            if (b == mark || escape != null && b == other) out.put(b);
            out.put(b);
        }
        out.put(mark);
    }

    /** The same for marks that are not ASCII. */
    private void quotedText(Output out, int first) {
        String text = new String(out.bytes, first, out.size - first, StandardCharsets.UTF_8);
        char mark = quote.charAt(0);
        char other = escape == null ? '\\' : escape.charAt(0);
        boolean needed = text.length() > UNCHECKED
            || text.chars().anyMatch(c -> c < safe || c == other);
        if (!needed) return;
        StringBuilder made = new StringBuilder().append(mark);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == mark || escape != null && c == other) made.append(c);
            made.append(c);
        }
        out.size = first;
        out.put(made.append(mark).toString().getBytes(StandardCharsets.UTF_8));
    }
}
