package sluice.flink;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;

/** Values inside one field, with a delimiter of their own between them. */
abstract class FlinkCsvNested extends FlinkCsvValue {
    final FlinkCsvMarks marks;
    final boolean lenient;

    FlinkCsvNested(FlinkCsvMarks marks, boolean lenient) {
        this.marks = marks;
        this.lenient = lenient;
    }

    /** The place behind the element that begins at one, before what is between it and the next. */
    final int last(byte[] b, int from, int to) {
        int i = from;
        while (i < to && !FlinkCsvMarks.starts(marks.between, b, i, to)) i++;
        return i;
    }

    /** Whether there is nothing at all in a field. */
    final boolean isBlank(byte[] b, int from, int to) {
        return last(b, from, to) == to && FlinkValue.first(b, from, to) == to;
    }

    final Object element(FlinkCsvValue value, byte[] b, int from, int to) {
        if (!marks.trims) return value.field(b, from, to);
        int first = FlinkValue.first(b, from, to);
        return value.field(b, first, FlinkValue.last(b, first, to));
    }

    /** A list; one without anything in it is empty. */
    static final class Items extends FlinkCsvNested {
        private final FlinkCsvValue item;

        Items(FlinkCsvValue item, FlinkCsvMarks marks, boolean lenient) {
            super(marks, lenient);
            this.item = item;
        }

        @Override
        Object field(byte[] b, int from, int to) {
            if (isBlank(b, from, to)) return new GenericArrayData(new Object[0]);
            List<Object> found = new ArrayList<>();
            for (int first = from; ;) {
                int last = last(b, first, to);
                try {
                    found.add(element(item, b, first, last));
                } catch (BadValue bad) {
                    if (!lenient) throw bad;
                    found.add(null);
                }
                if (last == to) return new GenericArrayData(found.toArray());
                first = last + marks.between.length;
            }
        }
    }

    /** A row; one without anything in it is NULL. */
    static final class Parts extends FlinkCsvNested {
        private final FlinkCsvValue[] parts;
        private final String[] names;

        Parts(FlinkCsvValue[] parts, String[] names, FlinkCsvMarks marks, boolean lenient) {
            super(marks, lenient);
            this.parts = parts;
            this.names = names;
        }

        @Override
        Object field(byte[] b, int from, int to) {
            if (isBlank(b, from, to)) return null;
            Object[] row = new Object[parts.length];
            BadValue wrong = null;
            int found = 0;
            for (int first = from; found < parts.length;) {
                int last = last(b, first, to);
                try {
                    row[found] = element(parts[found], b, first, last);
                } catch (BadValue bad) {
                    if (wrong == null) wrong = FlinkCsvDecoder.at(names[found], bad);
                }
                found++;
                if (last == to) break;
                first = last + marks.between.length;
            }
            if (!lenient && found < parts.length) throw FlinkCsvDecoder.tooShort(parts.length, found);
            if (!lenient && wrong != null) throw wrong;
            return new GenericInternalRow(row);
        }
    }
}
