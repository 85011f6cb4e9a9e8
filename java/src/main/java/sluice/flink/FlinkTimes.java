package sluice.flink;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;
import sluice.values.TimeReaders;
import sluice.values.TimeWriters;

/**
 * Days, times of day and moments in the two standards that Flink has for them. What is written as
 * nearly everybody writes it is read byte by byte, and the rest by Java's own rules.
 */
public final class FlinkTimes {
    static final long MICROS = 1_000_000L;
    static final int[] TENS = {1_000_000, 100_000, 10_000, 1_000, 100, 10, 1};

    static final DateTimeFormatter TIME = new DateTimeFormatterBuilder().appendPattern("HH:mm:ss")
        .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();

    private static final DateTimeFormatter SQL = moment(' ', TIME).toFormatter();
    private static final DateTimeFormatter SQL_ZONED = moment(' ', TIME).appendLiteral('Z').toFormatter();
    private static final DateTimeFormatter ISO = DateTimeFormatter.ISO_LOCAL_DATE_TIME;
    private static final DateTimeFormatter ISO_ZONED =
        moment('T', DateTimeFormatter.ISO_LOCAL_TIME).appendLiteral('Z').toFormatter();

    private FlinkTimes() {}

    private static DateTimeFormatterBuilder moment(char between, DateTimeFormatter time) {
        return new DateTimeFormatterBuilder().append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(between).append(time);
    }

    static String string(byte[] b, int from, int to) {
        return new String(b, from, to - from, java.nio.charset.StandardCharsets.UTF_8);
    }

    /** The day that {@code YYYY-MM-DD} begins a text with, or NONE. */
    static int quickDay(byte[] b, int from) {
        if (!TimeReaders.digit(b[from]) || b[from + 4] != '-' || b[from + 7] != '-') return TimeReaders.NONE;
        if (b[from + 5] == '0' && b[from + 6] == '0') return TimeReaders.NONE;
        return TimeReaders.day(b, from);
    }

    /** The digits after a point as nanoseconds, up to 9 of them; -1 if they are none. */
    private static int nanos(byte[] b, int from, int to) {
        if (to == from || to - from > 9) return -1;
        int nanos = 0;
        for (int i = from; i < from + 9; i++) {
            if (i < to && !TimeReaders.digit(b[i])) return -1;
            nanos = nanos * 10 + (i < to ? b[i] - '0' : 0);
        }
        return nanos;
    }

    /** A day: {@code 2020-01-31}. */
    static final class Day extends FlinkValue {
        Day(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int day = to - from == 10 ? quickDay(b, from) : TimeReaders.NONE;
            if (day != TimeReaders.NONE) return day;
            try {
                return (int) LocalDate.parse(string(b, from, to)).toEpochDay();
            } catch (DateTimeException bad) {
                throw wrong(b, from, to);
            }
        }
    }

    /** A time of day, which Spark holds as text; as in Flink it has milliseconds at most. */
    public static final class Clock extends FlinkValue {
        private final int precision;

        Clock(String type, int precision) {
            super(type);
            this.precision = precision;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int second = to - from < 8 ? -1 : TimeReaders.second(b, from);
            if (to - from == 8 && second >= 0) {
                return precision == 0 ? UTF8String.fromBytes(b, from, 8) : shown(second * 1000, precision);
            }
            int nanos = second < 0 || b[from + 8] != '.' ? -1 : nanos(b, from + 9, to);
            int millis = nanos < 0 ? millis(b, from, to) : second * 1000 + nanos / 1_000_000;
            return shown(millis, precision);
        }

        private int millis(byte[] b, int from, int to) {
            try {
                LocalTime time = TIME.parse(string(b, from, to)).query(TemporalQueries.localTime());
                return (int) (time.toNanoOfDay() / 1_000_000);
            } catch (DateTimeException bad) {
                throw wrong(b, from, to);
            }
        }

        /** {@code 12:30:00.123}, with so many digits of a second. */
        public static UTF8String shown(int millis, int precision) {
            Output out = new Output();
            TimeWriters.time(millis / 1000, out);
            if (precision > 0) {
                out.put('.');
                int kept = Math.min(precision, 3);
                out.padded(millis % 1000 / (kept == 1 ? 100 : kept == 2 ? 10 : 1), kept);
                for (int i = 3; i < precision; i++) out.put('0');
            }
            return UTF8String.fromBytes(out.message());
        }
    }

    /** A day and a time, in no zone or with a Z; Spark holds it as microseconds since 1970. */
    static final class Moment extends FlinkValue {
        private final int unit;
        private final boolean iso;
        private final boolean zoned;

        /** With so many digits after the second; {@code iso}: with a T between day and time. */
        Moment(String type, int precision, boolean iso, boolean zoned) {
            super(type);
            this.unit = TENS[Math.min(precision, 6)];
            this.iso = iso;
            this.zoned = zoned;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            long micros = quick(b, from, to);
            if (micros == Long.MIN_VALUE) micros = slow(b, from, to);
            return unit == 1 ? micros : Math.floorDiv(micros, (long) unit) * unit;
        }

        private long quick(byte[] b, int from, int to) {
            int end = to;
            if (zoned) {
                if (end == from || b[--end] != 'Z') return Long.MIN_VALUE;
            }
            if (end - from < 19 || b[from + 10] != (iso ? 'T' : ' ')) return Long.MIN_VALUE;
            int day = quickDay(b, from);
            int second = TimeReaders.second(b, from + 11);
            int nanos = 0;
            if (end - from > 19) nanos = b[from + 19] == '.' ? nanos(b, from + 20, end) : -1;
            if (day == TimeReaders.NONE || second < 0 || nanos < 0) return Long.MIN_VALUE;
            return (day * 86_400L + second) * MICROS + nanos / 1000;
        }

        private long slow(byte[] b, int from, int to) {
            DateTimeFormatter form = iso ? zoned ? ISO_ZONED : ISO : zoned ? SQL_ZONED : SQL;
            try {
                TemporalAccessor read = form.parse(string(b, from, to));
                LocalTime time = read.query(TemporalQueries.localTime());
                long second = read.query(TemporalQueries.localDate()).toEpochSecond(time, ZoneOffset.UTC);
                return Math.addExact(Math.multiplyExact(second, MICROS), time.getNano() / 1000);
            } catch (DateTimeException | ArithmeticException bad) {
                throw wrong(b, from, to);
            }
        }
    }
}
