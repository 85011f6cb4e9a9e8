package sluice.flink;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.JsonRules;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** JSON: an object is a row, a list of them several. What follows is not looked at, as in Flink. */
public final class FlinkJsonDecoder extends FlinkDecoder {
    private final FlinkNested.StructValue object;

    public FlinkJsonDecoder(String columns, Settings options) {
        super(columns, options.flag("ignore-parse-errors"));
        object = new FlinkValues(lenient, options.flag("fail-on-missing-field"),
            options.text("timestamp-format.standard").equals("ISO-8601")).row("ROW", TypeSpec.columns(columns));
    }

    @Override
    protected String failed(byte[] message) {
        String shown = BadValue.shown(message, 0, message.length);
        return "Failed to deserialize JSON '" + shown + "'.";
    }

    @Override
    public ArrayData decode(byte[] message) {
        if (!holdsList(message)) return super.decode(message);
        try {
            return new GenericArrayData(rows(message).toArray());
        } catch (BadValue bad) {
            return lenient ? NOTHING : new GenericArrayData(new Object[] {wrong(message, bad)});
        }
    }

    private static boolean holdsList(byte[] message) {
        if (message.length == 0 || message[0] == '{') return false;
        return open(message).peek() == '[';
    }

    @Override
    protected Object[] read(byte[] message) {
        if (message.length == 0) return null;
        JsonCursor in = open(message);
        int first = in.peek();
        if (first == '{') {
            Object[] row = empty();
            object.fill(in, row, 1);
            return row;
        }
        if (first != '[') throw in.expected("an object or a list of objects");
        List<InternalRow> rows = rows(message);
        if (rows.size() > 1) throw new BadValue("It holds " + rows.size() + " rows instead of one.");
        return rows.isEmpty() ? null : ((GenericInternalRow) rows.get(0)).values();
    }

    private List<InternalRow> rows(byte[] message) {
        JsonCursor in = open(message);
        List<InternalRow> found = new ArrayList<>();
        in.take('[');
        for (boolean more = !in.took(']'); more; more = in.another(']')) {
            Object[] row = element(in);
            if (row != null) found.add(new GenericInternalRow(row));
        }
        return found;
    }

    /** A row of a list, or null for none. */
    private Object[] element(JsonCursor in) {
        int first = in.at;
        try {
            byte kind = in.next();
            if (kind == JsonCursor.NULL) return null;
            if (kind != JsonCursor.OBJECT) throw in.expected("an object");
            Object[] row = empty();
            object.fill(in, row, 1);
            return row;
        } catch (BadValue bad) {
            if (!lenient) throw bad;
            in.at = first;
            in.skipUnread();
            return null;
        }
    }

    /** A message as JSON, as strict as Flink's parser. */
    public static JsonCursor open(byte[] message) {
        JsonCursor in = new JsonCursor(utf8(message), JsonRules.STRICT);
        in.skipMark();
        return in;
    }

    /** The message in UTF-8. Like Jackson, by zeros and marks at its beginning, tell UTF-16 and UTF-32. */
    private static byte[] utf8(byte[] b) {
        if (b.length < 2 || b[0] > 0 && b[1] != 0 || b[0] < (byte) 0xFE && b[0] < 0) return b;
        boolean big = b[0] == 0 || b[0] == (byte) 0xFE;
        boolean wide = b.length >= 4 && (big ? b[0] == 0 && b[1] == 0 : b[2] == 0 && b[3] == 0);
        Charset charset = wide ? Charset.forName(big ? "UTF-32BE" : "UTF-32LE")
            : big ? StandardCharsets.UTF_16BE : StandardCharsets.UTF_16LE;
        return new String(b, charset).getBytes(StandardCharsets.UTF_8);
    }
}
