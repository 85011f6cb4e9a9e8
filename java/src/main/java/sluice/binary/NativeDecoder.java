package sluice.binary;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.decode.Decoder;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.ValueReaders;

/**
 * Blocks in ClickHouse's Native format, as files have them: each has names and types of its columns. In the
 * format Buffers it has all columns of the table, each after the number of its bytes.
 */
public final class NativeDecoder implements Decoder {
    private static final long LONGEST = 1 << 24; // bytes of a name, and of a type

    private final TableColumns table;
    private final NativeTypes types;
    private final boolean skipUnknown;
    private final boolean buffers;

    public NativeDecoder(String columns, Settings settings) {
        table = new TableColumns(columns, new ValueReaders(settings, false));
        types = new NativeTypes(columns, settings);
        skipUnknown = settings.flag("input_format_skip_unknown_fields");
        buffers = settings.fixed("buffers");
    }

    @Override
    public ArrayData decode(byte[] message) {
        BinaryCursor in = new BinaryCursor(message);
        List<Object> rows = new ArrayList<>();
        try {
            do block(in, rows); while (in.at < in.end);
        } catch (BadValue bad) {
            return bad.row(table.values.length);
        }
        return new GenericArrayData(rows.toArray());
    }

    private void block(BinaryCursor in, List<Object> rows) {
        int columns = size(in, "columns");
        int count = size(in, "rows");
        if (buffers && columns != table.values.length) {
            throw new BadValue("Buffers block has " + columns + " buffers, but header has " + table.values.length + " columns");
        }
        Object[][] found = new Object[table.values.length][];
        for (int i = 0; i < columns; i++) {
            if (buffers) buffer(in, i, count, found);
            else column(in, i, count, found);
        }
        for (int r = 0; r < count; r++) {
            Object[] row = table.row();
            for (int c = 0; c < found.length; c++) {
                if (found[c] != null) row[c + 1] = found[c][r];
            }
            rows.add(new GenericInternalRow(table.filled(row)));
        }
    }

    /** How many columns or rows a block has; there is a byte at least for each. */
    private int size(BinaryCursor in, String what) {
        long found = buffers ? in.eight() : in.number();
        if (Long.compareUnsigned(found, in.end - in.at) > 0) {
            throw new BadValue("Suspiciously many " + what + " in " + (buffers ? "Buffers" : "Native") + " format: " + Long.toUnsignedString(found)
                + " (at byte " + in.at + ")");
        }
        return (int) found;
    }

    private void column(BinaryCursor in, int place, int count, Object[][] found) {
        if (types.tookOwn(in, place)) {
            try {
                values(in, types.own(place), place, count, found);
                return;
            } catch (BadValue bad) {
                throw table.wrong(bad, place, "column");
            }
        }
        in.string(LONGEST);
        int column = table.columns.find(in, place);
        String name = new String(in.text, in.from, in.to - in.from, StandardCharsets.UTF_8);
        if (column < 0 && !skipUnknown) {
            throw new BadValue("Unknown column with name " + BadValue.shown(name) + " found while reading data in Native format");
        }
        try {
            values(in, types.read(in, column), column, count, found);
        } catch (BadValue bad) {
            throw bad.at("column", BadValue.shown(name));
        }
    }

    private void values(BinaryCursor in, NativeTypes.Kind kind, int column, int count, Object[][] found) {
        if (count == 0) return;
        kind.column().begin(in);
        Object[] values = kind.column().read(in, count);
        if (column < 0 || found[column] != null) return;
        for (int i = 0; i < count; i++) {
            if (values[i] == null) values[i] = table.values[column].none();
            else if (kind.conversion() != null) values[i] = kind.conversion().of(values[i]);
        }
        found[column] = values;
    }

    /** A column of the table after the number of its bytes. */
    private void buffer(BinaryCursor in, int column, int count, Object[][] found) {
        try {
            long length = in.eight();
            int first = in.at;
            values(in, types.own(column), column, count, found);
            if (in.at - first != length) {
                throw new BadValue("Cannot read all data, expected to read " + Long.toUnsignedString(length)
                    + " bytes, but read " + (in.at - first) + " bytes (at byte " + first + ")");
            }
        } catch (BadValue bad) {
            throw table.wrong(bad, column, "column");
        }
    }
}
