package sluice;

import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** How the text of a field becomes a value of one type, by the rules of Java that Flink goes by. */
abstract class FlinkCsvValue implements Serializable {
    private static final int LONGEST_NUMBER = 1000;

    /** The value of a text that does not stand for NULL. */
    abstract Object of(byte[] b, int from, int to);

    /** The value of a field. */
    abstract Object field(byte[] b, int from, int to);

    /** What reads a column's type; {@code lenient}: whether a wrong part of a field is NULL. */
    static FlinkCsvValue of(JsonNode type, FlinkCsvMarks marks, boolean lenient) {
        switch (type.get("kind").asText()) {
            case "items":
                return new FlinkCsvNested.Items(scalar(type.get("item"), marks), marks, lenient);
            case "parts":
                FlinkCsvValue[] parts = new FlinkCsvValue[type.get("items").size()];
                String[] names = new String[parts.length];
                for (int i = 0; i < parts.length; i++) {
                    parts[i] = scalar(type.get("items").get(i), marks);
                    JsonNode name = type.get("names").get(i);
                    names[i] = name == null ? "f" + i : name.asText();
                }
                return new FlinkCsvNested.Parts(parts, names, marks, lenient);
            default: return scalar(type, marks);
        }
    }

    private static FlinkCsvValue scalar(JsonNode type, FlinkCsvMarks marks) {
        int precision = type.path("precision").asInt();
        switch (type.get("kind").asText()) {
            case "whole": return new Whole(marks, type.get("bits").asInt());
            case "floating": return new Floating(marks, type.get("bits").asInt() == 32);
            case "exact": return new Exact(marks, precision, type.get("scale").asInt());
            case "bool": return new Bool(marks);
            case "text": return new Plain(marks);
            case "bytes": return new Base64(marks);
            case "day": return new Day(marks);
            case "clock": return new Clock(marks, precision);
            case "local": return new Moment(marks, false);
            case "instant": return new Moment(marks, true);
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    static String string(byte[] b, int from, int to) {
        return new String(b, from, to - from, StandardCharsets.UTF_8);
    }

    private static BadValue wrong(Exception bad) {
        return new BadValue(BadValue.shown(String.valueOf(bad.getMessage())));
    }

    /** A value without values inside. */
    private abstract static class Scalar extends FlinkCsvValue {
        private final FlinkCsvMarks marks;

        Scalar(FlinkCsvMarks marks) {
            this.marks = marks;
        }

        @Override
        final Object field(byte[] b, int from, int to) {
            return marks.isNull(b, from, to) ? null : of(b, from, to);
        }
    }

    /** A whole number of 8, 16, 32 or 64 bits; blanks around it are passed over. */
    private static final class Whole extends Scalar {
        private final int bits;

        Whole(FlinkCsvMarks marks, int bits) {
            super(marks);
            this.bits = bits;
        }

        @Override
        Object of(byte[] b, int from, int to) {
            int i = from;
            boolean minus = i < to && b[i] == '-';
            if (minus) i++;
            if (i == to || to - i > 18) return slow(b, from, to);
            long number = 0;
            for (; i < to; i++) {
                int digit = b[i] - '0';
                if (digit < 0 || digit > 9) return slow(b, from, to);
                number = number * 10 + digit;
            }
            if (minus) number = -number;
            switch (bits) {
                case 8: return number == (byte) number ? (Object) (byte) number : slow(b, from, to);
                case 16: return number == (short) number ? (Object) (short) number : slow(b, from, to);
                case 32: return number == (int) number ? (Object) (int) number : slow(b, from, to);
                default: return number;
            }
        }

        private Object slow(byte[] b, int from, int to) {
            String text = string(b, from, to).trim();
            try {
                switch (bits) {
                    case 8: return Byte.parseByte(text);
                    case 16: return Short.parseShort(text);
                    case 32: return Integer.parseInt(text);
                    default: return Long.parseLong(text);
                }
            } catch (NumberFormatException bad) {
                throw wrong(bad);
            }
        }
    }

    /** A floating point number. */
    private static final class Floating extends Scalar {
        private final boolean small;

        Floating(FlinkCsvMarks marks, boolean small) {
            super(marks);
            this.small = small;
        }

        @Override
        Object of(byte[] b, int from, int to) {
            if (!small) {
                double quick = Numbers.Floating.quick(b, from, to);
                if (quick == quick) return quick;
            }
            String text = string(b, from, to).trim();
            try {
                return small ? (Object) Float.parseFloat(text) : (Object) Double.parseDouble(text);
            } catch (NumberFormatException bad) {
                throw wrong(bad);
            }
        }
    }

    /** An exact number, rounded to its scale; one that is too large is NULL. */
    private static final class Exact extends Scalar {
        private final int precision;
        private final int scale;

        Exact(FlinkCsvMarks marks, int precision, int scale) {
            super(marks);
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        Object of(byte[] b, int from, int to) {
            if (to - from > LONGEST_NUMBER) throw BadValue.of(b, from, to, "DECIMAL");
            BigDecimal number;
            try {
                number = new BigDecimal(string(b, from, to));
            } catch (NumberFormatException bad) {
                throw bad.getMessage() == null ? BadValue.of(b, from, to, "DECIMAL") : wrong(bad);
            }
            return fitted(number, precision, scale);
        }
    }

    /** A number in its type, rounded half up; null for one that is too large. */
    static Decimal fitted(BigDecimal number, int precision, int scale) {
        // Before anything is computed with it: an exponent may ask for a billion digits.
        long before = number.precision() - (long) number.scale();
        if (number.signum() == 0 || before < -scale) number = BigDecimal.ZERO;
        else if (before > precision - scale) return null;
        number = number.setScale(scale, RoundingMode.HALF_UP);
        return number.precision() > precision ? null : Decimal.apply(number, precision, scale);
    }

    /** True, or anything else for false. */
    private static final class Bool extends Scalar {
        Bool(FlinkCsvMarks marks) {
            super(marks);
        }

        @Override
        Object of(byte[] b, int from, int to) {
            return Boolean.parseBoolean(string(b, from, to).trim());
        }
    }

    /** A text as it stands. */
    private static final class Plain extends Scalar {
        Plain(FlinkCsvMarks marks) {
            super(marks);
        }

        @Override
        Object of(byte[] b, int from, int to) {
            return UTF8String.fromBytes(b, from, to - from);
        }
    }

    /** Bytes in base64. */
    private static final class Base64 extends Scalar {
        Base64(FlinkCsvMarks marks) {
            super(marks);
        }

        @Override
        Object of(byte[] b, int from, int to) {
            try {
                return Base64Variants.getDefaultVariant().decode(string(b, from, to).trim());
            } catch (IllegalArgumentException bad) {
                throw new BadValue("Unable to deserialize byte array. "
                    + BadValue.shown(String.valueOf(bad.getMessage())));
            }
        }
    }

    /** A day, {@code 2020-1-31}; a month that is too short runs over into the next. */
    private static final class Day extends Scalar {
        Day(FlinkCsvMarks marks) {
            super(marks);
        }

        @Override
        Object of(byte[] b, int from, int to) {
            int day = FlinkCsvTimes.day(b, from, to);
            if (day != FlinkCsvTimes.NONE) return day;
            String[] parts = string(b, from, to).split("-", -1);
            try {
                if (parts.length != 3 || parts[0].length() != 4 || parts[1].length() > 2
                        || parts[2].length() > 2) throw BadValue.of(b, from, to, "DATE");
                int ofMonth = Integer.parseInt(parts[2]);
                if (ofMonth < 1 || ofMonth > 31) throw BadValue.of(b, from, to, "DATE");
                LocalDate first = LocalDate.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), 1);
                return (int) first.plusDays(ofMonth - 1).toEpochDay();
            } catch (NumberFormatException | DateTimeException bad) {
                throw BadValue.of(b, from, to, "DATE");
            }
        }
    }

    /** A time of day, which Spark holds as its text; digits that its type does not have are cut. */
    private static final class Clock extends Scalar {
        private final int precision;

        Clock(FlinkCsvMarks marks, int precision) {
            super(marks);
            this.precision = precision;
        }

        @Override
        Object of(byte[] b, int from, int to) {
            try {
                return FlinkCsvTimes.clock(java.time.LocalTime.parse(string(b, from, to)), precision);
            } catch (DateTimeException bad) {
                throw wrong(bad);
            }
        }
    }

    /** A time with a day, {@code 2020-01-31 12:30:00.5}; an instant has a Z behind it. */
    private static final class Moment extends Scalar {
        private final boolean zoned;

        Moment(FlinkCsvMarks marks, boolean zoned) {
            super(marks);
            this.zoned = zoned;
        }

        @Override
        Object of(byte[] b, int from, int to) {
            while (from < to && b[from] >= 0 && b[from] <= ' ') from++;
            while (to > from && b[to - 1] >= 0 && b[to - 1] <= ' ') to--;
            try {
                return FlinkCsvTimes.moment(b, from, to, zoned);
            } catch (DateTimeException | ArithmeticException bad) {
                throw wrong(bad);
            }
        }
    }
}
