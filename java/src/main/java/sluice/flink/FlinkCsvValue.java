package sluice.flink;

import com.fasterxml.jackson.core.Base64Variants;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;
import sluice.values.TimeReaders;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;

/** Reads the value of a CSV field; some types are read otherwise than in JSON. */
interface FlinkCsvValue extends Serializable {
    /** The value of a field; null for NULL. */
    Object field(byte[] b, int from, int to);

    /** The reader of a column's type; {@code lenient}: whether a wrong part of a field is NULL. */
    static FlinkCsvValue of(TypeSpec type, FlinkCsvMarks marks, boolean lenient) {
        switch (type.kind()) {
            case "items": return array(scalar(type.inner("item"), marks), marks, lenient);
            case "parts":
                var fields = type.fields().stream().map(field -> scalar(field.type(), marks));
                var names = type.fields().stream().map(TypeSpec.Column::name);
                return row(fields.toArray(FlinkCsvValue[]::new), names.toArray(String[]::new), marks, lenient);
            default: return scalar(type, marks);
        }
    }

    private static FlinkCsvValue scalar(TypeSpec type, FlinkCsvMarks marks) {
        ValueReader value = value(type);
        return (b, from, to) -> marks.isNull(b, from, to) ? null : value.text(b, from, to);
    }

    private static ValueReader value(TypeSpec type) {
        String name = type.name();
        switch (type.kind()) {
            case "bytes": return FlinkValue.of(name, (b, from, to) -> base64(name, b, from, to));
            case "day": return FlinkValue.of(name, (b, from, to) -> day(name, b, from, to));
            case "clock":
                int precision = type.precision();
                return FlinkValue.of(name, (b, from, to) -> time(name, precision, b, from, to));
            case "exact": return unpadded(new FlinkNumbers.DecimalValue(name, type.precision(), type.scale()));
            case "local": return trimmed(new FlinkTimes.Moment(name, 6, false, false));
            case "instant": return trimmed(new FlinkTimes.Moment(name, 6, false, true));
            case "whole":
            case "floating":
            case "bool":
            case "text": return new FlinkValues(false, false, false).of(type);
            default: throw type.unknown();
        }
    }

    /** A value with whitespace around it. */
    private static ValueReader trimmed(FlinkValue value) {
        return FlinkValue.of(value.type, (b, from, to) -> {
            int first = FlinkValue.first(b, from, to);
            return value.text(b, first, FlinkValue.last(b, first, to));
        });
    }

    /** A value that may have no whitespace around it. */
    private static ValueReader unpadded(FlinkValue value) {
        return FlinkValue.of(value.type, (b, from, to) -> {
            boolean padded = FlinkValue.first(b, from, to) > from || FlinkValue.last(b, from, to) < to;
            if (padded) throw value.wrong(b, from, to);
            return value.text(b, from, to);
        });
    }

    /** Bytes in base64, by the rules of Jackson, which Flink's parser uses. */
    private static byte[] base64(String type, byte[] b, int from, int to) {
        try {
            return Base64Variants.getDefaultVariant().decode(FlinkTimes.string(b, from, to).trim());
        } catch (IllegalArgumentException bad) {
            throw BadValue.of(b, from, to, type);
        }
    }

    /** A date, {@code 2020-1-31}; in a month that is too short it runs over into the next. */
    private static int day(String type, byte[] b, int from, int to) {
        int day = to - from == 10 ? FlinkTimes.quickDay(b, from) : TimeReaders.NONE;
        if (day != TimeReaders.NONE) return day;
        String[] parts = FlinkTimes.string(b, from, to).split("-", -1);
        boolean good = parts.length == 3 && parts[0].length() == 4 && parts[1].length() <= 2
            && parts[2].length() <= 2;
        try {
            int ofMonth = good ? Integer.parseInt(parts[2]) : 0;
            if (ofMonth < 1 || ofMonth > 31) throw BadValue.of(b, from, to, type);
            LocalDate first = LocalDate.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), 1);
            return (int) first.plusDays(ofMonth - 1).toEpochDay();
        } catch (NumberFormatException | DateTimeException bad) {
            throw BadValue.of(b, from, to, type);
        }
    }

    /** A time of day, perhaps without seconds; digits that its type does not have are cut off. */
    private static Object time(String type, int precision, byte[] b, int from, int to) {
        try {
            LocalTime time = LocalTime.parse(FlinkTimes.string(b, from, to));
            return FlinkTimes.Clock.shown((int) (time.toNanoOfDay() / 1_000_000), precision);
        } catch (DateTimeException bad) {
            throw BadValue.of(b, from, to, type);
        }
    }

    /** An array within a field; a blank field is an empty one. */
    private static FlinkCsvValue array(FlinkCsvValue item, FlinkCsvMarks marks, boolean lenient) {
        return (b, from, to) -> {
            List<Object> found = new ArrayList<>();
            if (marks.isBlank(b, from, to)) return new GenericArrayData(found.toArray());
            for (int first = from; ;) {
                int last = marks.elementEnd(b, first, to);
                try {
                    found.add(element(item, marks, b, first, last));
                } catch (BadValue bad) {
                    if (!lenient) throw bad;
                    found.add(null);
                }
                if (last == to) return new GenericArrayData(found.toArray());
                first = last + marks.between.length;
            }
        };
    }

    /** A row within a field; a blank field is NULL. */
    private static FlinkCsvValue row(
            FlinkCsvValue[] fields, String[] names, FlinkCsvMarks marks, boolean lenient) {
        return (b, from, to) -> {
            if (marks.isBlank(b, from, to)) return null;
            Object[] row = new Object[fields.length];
            BadValue wrong = null;
            int found = 0;
            for (int first = from; found < fields.length;) {
                int last = marks.elementEnd(b, first, to);
                try {
                    row[found] = element(fields[found], marks, b, first, last);
                } catch (BadValue bad) {
                    if (wrong == null) wrong = bad.inField(names[found]);
                }
                found++;
                if (last == to) break;
                first = last + marks.between.length;
            }
            if (!lenient && found < fields.length) throw FlinkCsvDecoder.tooShort(fields.length, found);
            if (!lenient && wrong != null) throw wrong;
            return new GenericInternalRow(row);
        };
    }

    private static Object element(FlinkCsvValue value, FlinkCsvMarks marks, byte[] b, int from, int to) {
        if (!marks.trims) return value.field(b, from, to);
        int first = FlinkValue.first(b, from, to);
        return value.field(b, first, FlinkValue.last(b, first, to));
    }
}
