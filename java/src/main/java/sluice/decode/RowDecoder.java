package sluice.decode;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;
import sluice.scan.Cursor;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/** A format whose messages are rows, one after another. */
public abstract class RowDecoder<C extends Cursor> implements Decoder {
    private static final GenericArrayData NOTHING = new GenericArrayData(new Object[0]);

    public final TableColumns table;
    private final AllowedErrors errors;

    /** {@code enums}: the setting that has enums read as numbers, if the format has one. */
    public RowDecoder(String columns, Settings settings, String enums) {
        table = new TableColumns(columns, new ValueReaders(settings, enums != null && settings.flag(enums)));
        this.errors = AllowedErrors.of(settings);
    }

    protected abstract C open(byte[] message);

    /** Read what stands before the rows; whether there may be any. */
    protected boolean begin(C in) {
        return true;
    }

    /** Go to the next row; whether there is one: as long as there are bytes. */
    protected boolean more(C in, boolean first) {
        return in.at < in.end;
    }

    /** Read a row: a place for its error, and its columns. */
    protected abstract Object[] row(C in);

    /** Whether the rest of a message can be read after a bad row. */
    protected boolean recovers() {
        return true;
    }

    /** Go to the end of a bad row. */
    protected void recover(C in) {
        in.skipLine();
    }

    @Override
    public final ArrayData decode(byte[] message) {
        try {
            return rows(open(message));
        } catch (BadValue bad) {
            return bad.row(table.values.length);
        }
    }

    private ArrayData rows(C in) {
        if (!begin(in)) return NOTHING;
        Object only = null;
        List<Object> found = null;
        int wrong = 0;
        for (int seen = 1; more(in, seen == 1); seen++) {
            Object row;
            try {
                row = new GenericInternalRow(row(in));
            } catch (BadValue bad) {
                wrong++;
                if (!recovers() || !errors.allow(wrong, seen)) throw seen == 1 ? bad : bad.atRow(seen);
                recover(in);
                continue;
            }
            if (only == null) {
                only = row;
            } else {
                if (found == null) {
                    found = new ArrayList<>();
                    found.add(only);
                }
                found.add(row);
            }
        }
        if (only == null) return NOTHING;
        return new GenericArrayData(found == null ? new Object[] {only} : found.toArray());
    }
}
