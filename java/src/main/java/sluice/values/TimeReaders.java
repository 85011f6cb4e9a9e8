package sluice.values;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import sluice.scan.QuotedText;

/** Days and instants: {@code YYYY-MM-DD[ hh:mm:ss[.f]]}, or a number of days or seconds. */
public final class TimeReaders {
    private static final long MICROS = 1_000_000L;
    private static final long EPOCH_SECONDS = (1L << 32) - 1;
    static final long FIRST_SECOND = -62_167_219_200L; // of the year 0, where DateTime64 begins
    static final long LAST_SECOND = 253_402_300_799L; // of the year 9999, where it ends
    static final int SECONDS = 10; // digits of today's seconds since 1970
    private static final long[] TENS = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000};
    public static final int NONE = Integer.MIN_VALUE;

    private static final long NO_INSTANT = Long.MIN_VALUE;

    private TimeReaders() {}

    /** A day, which Spark holds as days since 1970. */
    public static final class Day extends ValueReader {
        private static final int LAST = 65_535; // days since 1970, of a Date

        private final Overflow overflow;

        public Day(String type, boolean nullable) {
            this(type, Overflow.IGNORE, nullable);
        }

        Day(String type, Overflow overflow, boolean nullable) {
            super(type, nullable ? null : 0);
            this.overflow = overflow;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int day = NONE;
            if (calendar(b, from, to)) {
                if (to - from == 10 || b[from + 10] == ' ' || b[from + 10] == 'T') day = day(b, from);
            } else if (to - from == 8 && digits(b, from, to, 8) >= 0) {
                day = day(digits(b, from, from + 4, 4), digits(b, from + 4, from + 6, 2),
                    digits(b, from + 6, to, 2));
            } else if (to - from >= 8) {
                day = loose(b, from, to);
            } else {
                day = digits(b, from, to, 6);
            }
            if (day == NONE) throw wrong(b, from, to);
            return overflow == Overflow.IGNORE ? day : (int) overflow.within(day, LAST, 1, "Date");
        }

        /** Days since 1970, or before it for a Date32. */
        @Override
        public Object number(byte[] b, int from, int to) {
            boolean before = from < to && b[from] == '-' && type.equals("Date32");
            int days = before ? digits(b, from + 1, to, 6) : NONE;
            return days == NONE ? text(b, from, to) : -days;
        }

        /** {@code YYYY/M/D}, with anything that is no digit between the numbers. */
        private static int loose(byte[] b, int from, int to) {
            int second = from + 6;
            if (digit(b[from + 4]) || to - from > 10) return NONE;
            if (digit(b[second])) second++;
            if (second + 1 >= to || digit(b[second])) return NONE;
            return day(digits(b, from, from + 4, 4), digits(b, from + 5, second, 2),
                digits(b, second + 1, to, 2));
        }
    }

    /** An instant, which Spark holds as microseconds since 1970 in UTC. */
    public static final class Instant extends ValueReader {
        private final int precision;
        private final boolean whole;
        private final ZoneId zone;
        private final boolean freely;
        private final boolean monthFirst;
        private final Overflow overflow;

        /**
         * Of so many digits after the second, -1 for the type that has none and ends in 2106.
         * {@code form} is basic, best_effort or best_effort_us.
         */
        public Instant(String type, int precision, String zone, String form, boolean nullable) {
            this(type, precision, zone, form, Overflow.IGNORE, nullable);
        }

        Instant(String type, int precision, String zone, String form, Overflow overflow, boolean nullable) {
            super(type, nullable ? null : 0L);
            this.overflow = overflow;
            this.whole = precision < 0;
            this.precision = Math.max(precision, 0);
            this.zone = zone == null || zone.equals("UTC") ? null : ZoneId.of(zone);
            this.freely = !form.equals("basic");
            this.monthFirst = form.equals("best_effort_us");
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (calendar(b, from, to)) {
                long found = local(b, from, to);
                if (found != NO_INSTANT) return within(found);
                if (!freely) throw wrong(b, from, to);
            }
            return freely ? freely(b, from, to) : number(b, from, to, false);
        }

        @Override
        public Object quoted(QuotedText in) {
            in.item();
            if (in.isNull()) return none();
            return in.inQuotes ? text(in.text, in.from, in.to) : number(in.text, in.from, in.to);
        }

        @Override
        public Object number(byte[] b, int from, int to) {
            return number(b, from, to, true);
        }

        /**
         * A number is of seconds, or of their parts, as many as the type has, if it is too large;
         * {@code today}: if it has the digits of a time of today besides.
         */
        private Object number(byte[] b, int from, int to, boolean today) {
            boolean minus = !whole && from < to && b[from] == '-';
            int first = minus ? from + 1 : from;
            int point = first;
            while (point < to && b[point] != '.') point++;
            if (point - first > 18 || whole && point < to) throw wrong(b, from, to);
            long seconds = unsigned(b, first, point);
            long micros = point < to ? fraction(b, point + 1, to) : 0;
            if (seconds < 0 || micros < 0 || tooLarge(seconds)) throw wrong(b, from, to);
            if (whole) return within(seconds * MICROS);
            boolean parts = seconds > LAST_SECOND;
            boolean known = point == to && (!today || to - first == SECONDS + precision);
            long second = parts ? seconds / TENS[precision] : seconds;
            if (parts && !known || second > (minus ? -FIRST_SECOND : LAST_SECOND)) throw wrong(b, from, to);
            long instant = parts ? seconds * TENS[6 - precision] : seconds * MICROS + micros;
            return minus ? -instant : instant;
        }

        /** Whether a number of seconds is refused, which a calendar's time is not. */
        private boolean tooLarge(long seconds) {
            return whole && seconds > (overflow == Overflow.IGNORE ? EPOCH_SECONDS : LAST_SECOND);
        }

        private Object within(long micros) {
            return whole ? overflow.within(micros, EPOCH_SECONDS * MICROS, MICROS, "DateTime") : micros;
        }

        private Object freely(byte[] b, int from, int to) {
            BestEffortTime read = new BestEffortTime(b, from, to, monthFirst);
            if (!read.all()) throw wrong(b, from, to);
            if (read.instant != null) {
                if (tooLarge(Math.floorDiv(read.instant, MICROS))) throw wrong(b, from, to);
                return within(cut(read.instant));
            }
            int day = day(read.year, read.month, read.day);
            if (day == NONE) throw wrong(b, from, to);
            long seconds = day * 86_400L + read.second;
            if (read.offset != null) seconds -= read.offset;
            else if (zone != null) seconds -= offset(seconds);
            return within(cut(seconds * MICROS + read.micros));
        }

        /** Without the digits that the type has no place for. */
        private long cut(long micros) {
            return Math.floorDiv(micros, TENS[6 - precision]) * TENS[6 - precision];
        }

        /** The time of a calendar, or NO_INSTANT. */
        private long local(byte[] b, int from, int to) {
            int day = day(b, from);
            long second = 0;
            long micros = 0;
            if (to - from > 10) {
                boolean timed = to - from >= 19 && (b[from + 10] == ' ' || b[from + 10] == 'T');
                second = timed ? second(b, from + 11) : -1;
                if (to - from > 19) {
                    micros = whole || b[from + 19] != '.' ? -1 : fraction(b, from + 20, to);
                }
            }
            if (day == NONE || second < 0 || micros < 0) return NO_INSTANT;
            long seconds = day * 86_400L + second;
            if (zone != null) seconds -= offset(seconds);
            return seconds * MICROS + micros;
        }

        private long offset(long seconds) {
            LocalDateTime local = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
            return zone.getRules().getOffset(local).getTotalSeconds();
        }

        /** The digits after the point as microseconds, cut off after the precision; -1 if wrong. */
        private long fraction(byte[] b, int from, int to) {
            long micros = 0;
            for (int i = from; i < to; i++) {
                int digit = b[i] - '0';
                if (digit < 0 || digit > 9) return -1;
                if (i - from < precision) micros = micros * 10 + digit;
            }
            int kept = Math.min(to - from, precision);
            return micros * TENS[6 - kept];
        }
    }

    /** Whether a text begins like a date. */
    static boolean calendar(byte[] b, int from, int to) {
        return to - from >= 10 && b[from + 4] == '-' && b[from + 7] == '-';
    }

    /** The day that {@code YYYY-MM-DD} names, or NONE. */
    public static int day(byte[] b, int from) {
        return day(digits(b, from, from + 4, 4), digits(b, from + 5, from + 7, 2),
            digits(b, from + 8, from + 10, 2));
    }

    /** The day of a year and a month, or NONE; 0000-00-00 is the first one there is. */
    static int day(int year, int month, int day) {
        if (year == 0 && month == 0 && day == 0) return 0;
        if (year < 0 || month < 1 || month > 12 || day < 1) return NONE;
        boolean leap = (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
        int length = month == 2 ? (leap ? 29 : 28) : 30 + (month + (month >> 3) & 1);
        if (day > length) return NONE;
        int y = month <= 2 ? year - 1 : year; // years that begin in March: the leap day is their last
        int era = Math.floorDiv(y, 400);
        int ofEra = y - era * 400;
        int ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468;
    }

    /** The second of the day that {@code hh:mm:ss} names, or -1. */
    public static int second(byte[] b, int from) {
        if (b[from + 2] != ':' || b[from + 5] != ':') return -1;
        int hour = two(b, from);
        int minute = two(b, from + 3);
        int second = two(b, from + 6);
        if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
        return hour * 3600 + minute * 60 + second;
    }

    private static int two(byte[] b, int at) {
        return digit(b[at]) && digit(b[at + 1]) ? 10 * (b[at] - '0') + b[at + 1] - '0' : -1;
    }

    /** A number of at most so many digits, or NONE. */
    private static int digits(byte[] b, int from, int to, int most) {
        if (to - from > most) return NONE;
        long number = unsigned(b, from, to);
        return number < 0 ? NONE : (int) number;
    }

    public static boolean digit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static long unsigned(byte[] b, int from, int to) {
        if (from == to) return -1;
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = b[i] - '0';
            if (digit < 0 || digit > 9) return -1;
            number = number * 10 + digit;
        }
        return number;
    }
}
