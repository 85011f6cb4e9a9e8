package sluice;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import org.apache.spark.unsafe.types.UTF8String;

/** Days and times as Flink reads and writes them: {@code 2020-01-31 12:30:00.5}. */
final class FlinkCsvTimes {
    static final int NONE = Integer.MIN_VALUE;

    private static final long MICROS = 1_000_000L;
    private static final int FIRST_DAY = -719_528; // of the year 0
    private static final int LAST_DAY = 2_932_896; // of the year 9999
    private static final DateTimeFormatter LOCAL = form("");
    private static final DateTimeFormatter ZONED = form("'Z'");

    private FlinkCsvTimes() {}

    private static DateTimeFormatter form(String end) {
        DateTimeFormatterBuilder made = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ')
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true);
        return (end.isEmpty() ? made : made.appendPattern(end)).toFormatter();
    }

    /** The day that {@code YYYY-MM-DD} names, or NONE. */
    static int day(byte[] b, int from, int to) {
        if (to - from != 10 || b[from + 4] != '-' || b[from + 7] != '-') return NONE;
        int year = digits(b, from, 4);
        int month = digits(b, from + 5, 2);
        return year < 0 || month < 1 ? NONE : Times.day(year, month, digits(b, from + 8, 2));
    }

    /** The microseconds since 1970 of a time with a day, with a Z behind it if it is {@code zoned}. */
    static long moment(byte[] b, int from, int to, boolean zoned) {
        int end = zoned ? to - 1 : to;
        int day = end - from >= 19 ? day(b, from, from + 10) : NONE;
        long second = day == NONE ? -1 : second(b, from + 11);
        int micros = second < 0 ? -1 : fraction(b, from + 19, end);
        if (micros >= 0 && b[from + 10] == ' ' && (!zoned || b[end] == 'Z')) {
            return (day * 86_400L + second) * MICROS + micros;
        }
        String text = FlinkCsvValue.string(b, from, to);
        LocalDateTime time = LocalDateTime.parse(text, zoned ? ZONED : LOCAL);
        long seconds = time.toEpochSecond(ZoneOffset.UTC);
        return Math.addExact(Math.multiplyExact(seconds, MICROS), time.getNano() / 1000);
    }

    /** The second of the day that {@code hh:mm:ss} names, or -1. */
    private static long second(byte[] b, int from) {
        int hour = digits(b, from, 2);
        int minute = digits(b, from + 3, 2);
        int second = digits(b, from + 6, 2);
        boolean good = b[from + 2] == ':' && b[from + 5] == ':' && hour >= 0 && hour < 24
            && minute >= 0 && minute < 60 && second >= 0 && second < 60;
        return good ? hour * 3600L + minute * 60L + second : -1;
    }

    /** The microseconds of {@code .123456}, or of nothing at all; -1 if it is anything else. */
    private static int fraction(byte[] b, int from, int to) {
        if (from == to) return 0;
        if (b[from] != '.' || to - from < 2 || to - from > 10) return -1;
        int micros = 0;
        for (int i = 1; i <= 6; i++) {
            int digit = from + i < to ? b[from + i] - '0' : 0;
            if (digit < 0 || digit > 9) return -1;
            micros = micros * 10 + digit;
        }
        for (int i = from + 7; i < to; i++) {
            if (b[i] < '0' || b[i] > '9') return -1;
        }
        return micros;
    }

    private static int digits(byte[] b, int from, int count) {
        int number = 0;
        for (int i = from; i < from + count; i++) {
            int digit = b[i] - '0';
            if (digit < 0 || digit > 9) return -1;
            number = number * 10 + digit;
        }
        return number;
    }

    /** A time of day as Spark holds it, with so many digits behind the second. */
    static UTF8String clock(LocalTime time, int precision) {
        Out out = new Out();
        clock(time.toSecondOfDay(), out);
        if (precision > 0) {
            int digits = Math.min(precision, 9);
            int unit = 1;
            for (int i = digits; i < 9; i++) unit *= 10;
            out.put('.');
            out.padded(time.getNano() / unit, digits);
        }
        return UTF8String.fromBytes(out.message());
    }

    private static void clock(int second, Out out) {
        out.padded(second / 3600, 2);
        out.put(':');
        out.padded(second / 60 % 60, 2);
        out.put(':');
        out.padded(second % 60, 2);
    }

    /** {@code 2020-01-31}. */
    static void writeDay(int day, Out out) {
        if (day >= FIRST_DAY && day <= LAST_DAY) WriteTimes.day(day, out);
        else out.put(DateTimeFormatter.ISO_LOCAL_DATE.format(LocalDate.ofEpochDay(day)));
    }

    /** {@code 2020-01-31 12:30:00.5}, with as many digits as it needs. */
    static void writeMoment(long micros, Out out) {
        long second = Math.floorDiv(micros, MICROS);
        writeDay((int) Math.floorDiv(second, 86_400L), out);
        out.put(' ');
        clock((int) Math.floorMod(second, 86_400L), out);
        int fraction = (int) Math.floorMod(micros, MICROS);
        if (fraction == 0) return;
        out.put('.');
        out.padded(fraction, 6);
        while (out.bytes[out.size - 1] == '0') out.size--;
    }

    /** A time of day from what Spark holds: as many digits as it needs, three at most. */
    static void writeClock(UTF8String text, Out out) {
        int first = out.size;
        out.put(text);
        if (out.size - first > 12) out.size = first + 12;
        if (out.size - first <= 8) return;
        while (out.bytes[out.size - 1] == '0') out.size--;
        if (out.bytes[out.size - 1] == '.') out.size--;
    }

    /** The milliseconds of a day that a time of day is, from what Spark holds. */
    static int millis(UTF8String text) {
        return (int) (LocalTime.parse(text.toString()).toNanoOfDay() / 1_000_000L);
    }
}
