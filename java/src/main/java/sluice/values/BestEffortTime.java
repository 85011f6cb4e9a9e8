package sluice.values;

import java.nio.charset.StandardCharsets;
import java.time.Year;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;

/**
 * Reads times in the many ways people write them: ISO 8601, with a zone or without,
 * {@code 2 Jan 2020 3:04 PM}, {@code 02/01/2020}, {@code 20200102030405}, seconds since 1970 or thousandths,
 * millionths or billionths of them.
 *
 * <p>It goes from number to number and from word to word, and what a number is follows from how long
 * it is and from what stands around it.
 */
final class BestEffortTime {
    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
    private static final String DAYS = "mon tue wed thu fri sat sun ";
    private static final Map<String, Integer> ZONES = Map.of("utc", 0, "gmt", 0, "msk", 3, "msd", 4,
        "est", -5, "edt", -4, "pst", -8, "pdt", -7, "cet", 1, "cest", 2);

    private final byte[] b;
    private final int to;
    private final boolean monthFirst;
    private int at;

    int year = -1;
    int month = -1;
    int day = -1;
    long second;
    long micros;
    int nanos; // below the microseconds
    Integer offset; // seconds east of Greenwich
    Long instant; // microseconds since 1970, unless a zone was given
    private boolean timed;
    private int half = -1; // 0 before noon, 1 after

    BestEffortTime(byte[] b, int from, int to, boolean monthFirst) {
        this.b = b;
        this.at = from;
        this.to = to;
        this.monthFirst = monthFirst;
    }

    /** Whether all of the text was understood. */
    boolean all() {
        while (at < to) {
            byte c = b[at];
            if (c >= '0' && c <= '9') {
                if (!number()) return false;
            } else if (letter(c)) {
                if (!word()) return false;
            } else if ((c == '+' || c == '-') && timed) {
                if (!shift()) return false;
            } else if (c == ' ' || c == ',' || c == 'T') {
                at++;
            } else {
                return false;
            }
        }
        return complete();
    }

    private boolean complete() {
        if (instant != null) return year < 0 && month < 0 && day < 0 && !timed;
        if (!timed && year < 0 && month < 0 && day < 0) return false;
        if (year < 0) year = Year.now(ZoneOffset.UTC).getValue();
        if (month < 0) month = 1;
        if (day < 0) day = 1;
        if (half >= 0) {
            long hour = second / 3600;
            if (!timed || hour == 0 || hour > 12) return false;
            if (half == 0 && hour == 12) second -= 12 * 3600;
            if (half == 1 && hour < 12) second += 12 * 3600;
        }
        return true;
    }

    private boolean number() {
        int first = at;
        while (at < to && b[at] >= '0' && b[at] <= '9') at++;
        int digits = at - first;
        byte next = at < to ? b[at] : 0;
        switch (digits) {
            case 19:
                instant = value(first, at - 3);
                nanos = (int) value(at - 3, at);
                return true;
            case 16:
                instant = value(first, at);
                return true;
            case 14:
                if (!date(first) || !clock(first + 8, 6)) return false;
                return fraction();
            case 13:
                instant = value(first, at) * 1000;
                return true;
            case 9:
            case 10: {
                instant = value(first, at) * 1_000_000;
                boolean read = fraction();
                instant += micros;
                return read;
            }
            case 8: return date(first);
            case 6:
                if (year >= 0 && day >= 0 && !timed) return clock(first, 6) && fraction();
                year = (int) value(first, first + 4);
                month = (int) value(first + 4, at);
                return true;
            case 4: return year(first, next);
            case 1:
            case 2: return small((int) value(first, at), next);
            default: return false;
        }
    }

    private boolean date(int first) {
        if (year >= 0 || month >= 0 || day >= 0) return false;
        year = (int) value(first, first + 4);
        month = (int) value(first + 4, first + 6);
        day = (int) value(first + 6, first + 8);
        return true;
    }

    private boolean clock(int first, int digits) {
        if (timed) return false;
        timed = true;
        long hour = value(first, first + 2);
        long minute = value(first + 2, first + 4);
        long seconds = digits == 6 ? value(first + 4, first + 6) : 0;
        second = hour * 3600 + minute * 60 + seconds;
        return hour < 24 && minute < 60 && seconds < 60;
    }

    /**
     * {@code 2020}, {@code 2020-01}, {@code 2020/01/02}, {@code 2020 01 02}; or hours and minutes
     * after a date.
     */
    private boolean year(int first, byte next) {
        if (year >= 0) return day >= 0 && clock(first, 4);
        year = (int) value(first, at);
        boolean spaced = next == ' ' && at + 3 < to && digit(at + 1) && digit(at + 2) && b[at + 3] == ' ';
        if (next != '-' && next != '/' && next != '.' && !spaced || month >= 0) return true;
        at++;
        int found = two();
        if (found < 0) return false;
        month = found;
        if (at == to || b[at] != next) return true;
        at++;
        day = two();
        return day >= 0;
    }

    /** An hour, the day of a named month, or the first part of a date. */
    private boolean small(int value, byte next) {
        if (next == ':') return time(value);
        if (day >= 0 && year >= 0 && !timed) {
            timed = true;
            second = value * 3600L;
            return value < 24;
        }
        if (next == '/' || next == '-' || next == '.') return dayAndMonth(value, next);
        if (day >= 0) return false;
        day = value;
        return true;
    }

    private boolean dayAndMonth(int value, byte separator) {
        if (day >= 0) return false;
        at++;
        day = value;
        if (at < to && letter(b[at])) {
            if (!word()) return false;
        } else {
            int other = two();
            if (other < 0 || month >= 0) return false;
            boolean swapped = separator == '/' && monthFirst ? other > 12 || value <= 12 : other > 12;
            month = swapped ? value : other;
            day = swapped ? other : value;
        }
        if (at == to || b[at] != separator) return true;
        at++;
        int first = at;
        while (at < to && b[at] >= '0' && b[at] <= '9') at++;
        int digits = at - first;
        if (year >= 0 || digits != 2 && digits != 4) return false;
        year = (int) value(first, at);
        if (digits == 2) year += year < 70 ? 2000 : 1900;
        return true;
    }

    private boolean time(int hour) {
        if (timed) return false;
        timed = true;
        at++;
        int minute = two();
        int seconds = 0;
        if (at < to && b[at] == ':') {
            at++;
            seconds = two();
        }
        second = hour * 3600L + minute * 60L + seconds;
        return hour < 24 && minute >= 0 && minute < 60 && seconds >= 0 && seconds < 60 && fraction();
    }

    private boolean fraction() {
        if (at == to || b[at] != '.') return true;
        int first = ++at;
        int unit = 100_000_000; // of nanoseconds
        int found = 0;
        for (; at < to && b[at] >= '0' && b[at] <= '9'; at++, unit /= 10) found += (b[at] - '0') * unit;
        micros += found / 1000;
        nanos = found % 1000;
        return at > first;
    }

    private boolean word() {
        int first = at;
        while (at < to && letter(b[at])) at++;
        String word = new String(b, first, at - first, StandardCharsets.US_ASCII);
        String low = word.toLowerCase(Locale.ROOT);
        if (word.equals("T")) return true;
        if (word.equals("Z")) return zone(0);
        if (low.equals("am") || low.equals("pm")) {
            half = low.equals("pm") ? 1 : 0;
            return true;
        }
        Integer known = ZONES.get(low);
        if (known != null) {
            zone(known * 3600);
            return at == to || b[at] != '+' && b[at] != '-' || shift();
        }
        if (word.length() < 3) return false;
        String three = low.substring(0, 3);
        int place = MONTHS.indexOf(three);
        if (place >= 0 && place % 3 == 0) {
            if (month >= 0) return false;
            month = place / 3 + 1;
            return true;
        }
        return DAYS.contains(three + " ");
    }

    private boolean zone(int seconds) {
        offset = seconds;
        return true;
    }

    /** {@code +03:00}, {@code -0330}, {@code +3}. */
    private boolean shift() {
        int sign = b[at++] == '-' ? -1 : 1;
        int hours = two();
        if (hours < 0) return false;
        if (at < to && b[at] == ':') at++;
        int minutes = at < to && b[at] >= '0' && b[at] <= '9' ? two() : 0;
        return hours < 24 && minutes < 60 && zone(sign * (hours * 3600 + minutes * 60));
    }

    private int two() {
        int first = at;
        while (at < to && at - first < 2 && b[at] >= '0' && b[at] <= '9') at++;
        return at == first ? -1 : (int) value(first, at);
    }

    private boolean digit(int place) {
        return b[place] >= '0' && b[place] <= '9';
    }

    private long value(int first, int last) {
        long found = 0;
        for (int i = first; i < last; i++) found = found * 10 + b[i] - '0';
        return found;
    }

    private static boolean letter(byte c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }
}
