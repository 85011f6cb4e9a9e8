package sluice.flink;

import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import sluice.values.TimeReaders;

/** How the text of a field becomes a value; some types are read otherwise than in JSON. */
abstract class FlinkCsvValue implements Serializable {
    /** The value of a field, NULL among them. */
    abstract Object field(byte[] b, int from, int to);

    /** What reads a column's type; {@code lenient}: whether a wrong part of a field is NULL. */
    static FlinkCsvValue of(JsonNode type, FlinkCsvMarks marks, boolean lenient) {
        switch (type.get("kind").asText()) {
            case "items":
                return new FlinkCsvNested.Items(scalar(type.get("item"), marks), marks, lenient);
            case "parts":
                FlinkCsvValue[] parts = new FlinkCsvValue[type.get("items").size()];
                for (int i = 0; i < parts.length; i++) parts[i] = scalar(type.get("items").get(i), marks);
                String[] names = FlinkValues.names(type).toArray(new String[0]);
                return new FlinkCsvNested.Parts(parts, names, marks, lenient);
            default: return scalar(type, marks);
        }
    }

    private static FlinkCsvValue scalar(JsonNode type, FlinkCsvMarks marks) {
        return new Scalar(value(type, type.get("name").asText()), marks);
    }

    private static FlinkValue value(JsonNode type, String name) {
        int precision = type.path("precision").asInt();
        switch (type.get("kind").asText()) {
            case "whole": return new FlinkNumbers.Whole(name, type.get("bits").asInt());
            case "floating": return new FlinkNumbers.Floating(name, type.get("bits").asInt() == 32);
            case "exact":
                return new Bare(new FlinkNumbers.Exact(name, precision, type.get("scale").asInt()));
            case "bool": return new FlinkTexts.Bool(name);
            case "text": return new FlinkTexts.Plain(name);
            case "bytes": return new Bytes(name);
            case "day": return new Day(name);
            case "clock": return new Clock(name, precision);
            case "local": return new Trimmed(new FlinkTimes.Moment(name, 6, false, false));
            case "instant": return new Trimmed(new FlinkTimes.Moment(name, 6, false, true));
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    /** A value without values inside. */
    private static final class Scalar extends FlinkCsvValue {
        private final FlinkValue value;
        private final FlinkCsvMarks marks;

        Scalar(FlinkValue value, FlinkCsvMarks marks) {
            this.value = value;
            this.marks = marks;
        }

        @Override
        Object field(byte[] b, int from, int to) {
            return marks.isNull(b, from, to) ? null : value.text(b, from, to);
        }
    }

    /** A value around which there may be blanks. */
    private static final class Trimmed extends FlinkValue {
        private final FlinkValue value;

        Trimmed(FlinkValue value) {
            super(value.type);
            this.value = value;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int first = first(b, from, to);
            return value.text(b, first, last(b, first, to));
        }
    }

    /** A value around which there may not. */
    private static final class Bare extends FlinkValue {
        private final FlinkValue value;

        Bare(FlinkValue value) {
            super(value.type);
            this.value = value;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (first(b, from, to) > from || last(b, from, to) < to) throw wrong(b, from, to);
            return value.text(b, from, to);
        }
    }

    /** Bytes in base64, by the rules of the parser that Flink uses. */
    private static final class Bytes extends FlinkValue {
        Bytes(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            try {
                return Base64Variants.getDefaultVariant().decode(FlinkTimes.string(b, from, to).trim());
            } catch (IllegalArgumentException bad) {
                throw wrong(b, from, to);
            }
        }
    }

    /** A day, {@code 2020-1-31}; in a month that is too short it runs over into the next. */
    private static final class Day extends FlinkValue {
        Day(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int day = to - from == 10 ? FlinkTimes.quickDay(b, from) : TimeReaders.NONE;
            if (day != TimeReaders.NONE) return day;
            String[] parts = FlinkTimes.string(b, from, to).split("-", -1);
            boolean good = parts.length == 3 && parts[0].length() == 4 && parts[1].length() <= 2
                && parts[2].length() <= 2;
            try {
                int ofMonth = good ? Integer.parseInt(parts[2]) : 0;
                if (ofMonth < 1 || ofMonth > 31) throw wrong(b, from, to);
                LocalDate first = LocalDate.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), 1);
                return (int) first.plusDays(ofMonth - 1).toEpochDay();
            } catch (NumberFormatException | DateTimeException bad) {
                throw wrong(b, from, to);
            }
        }
    }

    /** A time of day, perhaps without seconds; digits that its type does not have are cut off. */
    private static final class Clock extends FlinkValue {
        private final int precision;

        Clock(String type, int precision) {
            super(type);
            this.precision = precision;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            try {
                LocalTime time = LocalTime.parse(FlinkTimes.string(b, from, to));
                return FlinkTimes.Clock.shown((int) (time.toNanoOfDay() / 1_000_000), precision);
            } catch (DateTimeException bad) {
                throw wrong(b, from, to);
            }
        }
    }
}
