package sluice.values;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;

/** Time, Time64 and DateTime64 of more than six digits: a number of seconds, or of fractions of one. */
final class Clocks {
    private static final long[] TENS = {
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000};
    private static final int NANOS = 9;

    private Clocks() {}

    private static void digits(long fraction, int precision, Output out) {
        if (precision == 0) return;
        out.put('.');
        out.padded((int) fraction, precision);
    }

    /** The fraction that digits say, in parts of a second by the precision; -1 if they are none. */
    private static long fraction(byte[] b, int from, int to, int precision) {
        long found = 0;
        for (int i = from; i < to; i++) {
            if (!TimeReaders.digit(b[i])) return -1;
            if (i - from < precision) found = found * 10 + b[i] - '0';
        }
        return found * TENS[precision - Math.min(to - from, precision)];
    }

    /** A number without a sign, -1 if it is none or has more digits than these. */
    private static long unsigned(byte[] b, int from, int to, int most) {
        if (from == to || to - from > most) return -1;
        long found = 0;
        for (int i = from; i < to; i++) {
            if (!TimeReaders.digit(b[i])) return -1;
            found = found * 10 + b[i] - '0';
        }
        return found;
    }

    /** A time, up to 999:59:59 in both directions. */
    static final class Time extends Encoding {
        private static final long MOST = 3_599_999;
        private final int precision;
        private final boolean fractional;
        private final long last;

        Time(int precision, boolean fractional) {
            super(true);
            this.precision = precision;
            this.fractional = fractional;
            this.last = (MOST + 1) * TENS[precision] - 1;
        }

        @Override
        Object zero() {
            return 0L;
        }

        /** {@code [-][[h]hh:]mm:ss}, or at most two digits of seconds. */
        @Override
        Object parsed(byte[] b, int from, int to) {
            boolean minus = from < to && b[from] == '-';
            int first = minus ? from + 1 : from;
            int end = first;
            while (end < to && b[end] != '.') end++;
            if (end < to && !fractional) return null;
            long seconds = seconds(b, first, end);
            long fraction = end < to ? fraction(b, end + 1, to, precision) : 0;
            if (seconds < 0 || fraction < 0) return null;
            return signed(minus, Math.min(seconds * TENS[precision] + fraction, last));
        }

        private static long seconds(byte[] b, int from, int to) {
            int colon = from;
            while (colon < to && b[colon] != ':') colon++;
            if (colon == to) return unsigned(b, from, to, 2);
            boolean hours = to - colon == 6 && b[colon + 3] == ':';
            long first = unsigned(b, from, colon, hours ? 3 : 2);
            long last = unsigned(b, to - 2, to, 2);
            long minutes = hours ? unsigned(b, colon + 1, colon + 3, 2) : 0;
            if (!hours && to - colon != 3 || first < 0 || minutes < 0 || last < 0) return -1;
            return hours ? first * 3600 + minutes * 60 + last : first * 60 + last;
        }

        /** Seconds, or their fractions. */
        @Override
        public Object number(byte[] b, int from, int to) {
            boolean minus = from < to && b[from] == '-';
            long found = unsigned(b, minus ? from + 1 : from, to, 18);
            return found < 0 ? null : signed(minus, Math.min(found, last));
        }

        private static Object signed(boolean minus, long found) {
            return minus ? -found : found;
        }

        @Override
        public void write(Object stored, Output out) {
            long ticks = (long) stored;
            if (ticks < 0) out.put('-');
            ticks = Math.abs(ticks);
            int seconds = (int) (ticks / TENS[precision]);
            if (seconds >= 360_000) out.put((long) (seconds / 3600));
            else out.padded(seconds / 3600, 2);
            out.put(':');
            out.padded(seconds / 60 % 60, 2);
            out.put(':');
            out.padded(seconds % 60, 2);
            digits(ticks % TENS[precision], precision, out);
        }
    }

    /** An instant as so many digits of seconds since 1970 in UTC. */
    static final class Instant extends Encoding {
        private final int precision;
        private final ZoneRules rules;

        Instant(int precision, String zone) {
            super(true);
            this.precision = precision;
            this.rules = zone == null || zone.equals("UTC") ? null : ZoneId.of(zone).getRules();
        }

        @Override
        Object zero() {
            return 0L;
        }

        /** {@code YYYY-MM-DD[ hh:mm:ss[.f]][Z]} in the zone, or seconds since 1970. */
        @Override
        Object parsed(byte[] b, int from, int to) {
            if (to - from < 10 || b[from + 4] != '-' || b[from + 7] != '-') return number(b, from, to, false);
            boolean utc = b[to - 1] == 'Z';
            int end = utc ? to - 1 : to;
            int day = TimeReaders.day(b, from);
            long second = 0;
            long fraction = 0;
            if (end - from > 10) {
                boolean timed = end - from >= 19 && (b[from + 10] == ' ' || b[from + 10] == 'T');
                second = timed ? TimeReaders.second(b, from + 11) : -1;
                if (end - from > 19) {
                    fraction = b[from + 19] == '.' ? fraction(b, from + 20, end, precision) : -1;
                }
            }
            if (day == TimeReaders.NONE || second < 0 || fraction < 0) return null;
            long seconds = day * 86_400L + second;
            return ticks(utc ? seconds : seconds - offset(seconds), fraction);
        }

        /** Numbers of seconds have nine digits at least: others are years or dates to ClickHouse. */
        @Override
        public Object cast(byte[] text) {
            int digits = 0;
            while (digits < text.length && TimeReaders.digit(text[digits])) digits++;
            boolean calendar = digits == 4 && text.length >= 10 && text[4] == '-';
            return calendar || digits == TimeReaders.SECONDS || digits == TimeReaders.SECONDS - 1 ? parsed(text, 0, text.length) : null;
        }

        /** The offset of the zone where its clocks show so many seconds since 1970. */
        int offset(long local) {
            if (rules == null) return 0;
            return rules.getOffset(LocalDateTime.ofEpochSecond(local, 0, ZoneOffset.UTC)).getTotalSeconds();
        }

        @Override
        public Object number(byte[] b, int from, int to) {
            return number(b, from, to, true);
        }

        /** Of seconds, or of parts of them; {@code today}: if they have the digits of a time of today. */
        private Object number(byte[] b, int from, int to, boolean today) {
            boolean minus = from < to && b[from] == '-';
            int first = minus ? from + 1 : from;
            int point = first;
            while (point < to && b[point] != '.') point++;
            long seconds = unsigned(b, first, point, 19);
            long fraction = point < to ? fraction(b, point + 1, to, precision) : 0;
            if (seconds < 0 || fraction < 0) return null;
            if (seconds > TimeReaders.LAST_SECOND) { // then they are parts of seconds, as many as the type has
                if (point < to || today && to - first != TimeReaders.SECONDS + precision) return null;
                return minus ? -seconds : seconds;
            }
            if (!minus) return ticks(seconds, fraction);
            return fraction == 0 ? ticks(-seconds, 0) : ticks(-seconds - 1, TENS[precision] - fraction);
        }

        /** Null for what a number of 64 bits has no room for. */
        private Object ticks(long seconds, long fraction) {
            try {
                boolean before = seconds < 0 && fraction > 0; // so that nothing between overflows
                long whole = Math.multiplyExact(before ? seconds + 1 : seconds, TENS[precision]);
                return Math.addExact(whole, before ? fraction - TENS[precision] : fraction);
            } catch (ArithmeticException large) {
                return null;
            }
        }

        @Override
        public void write(Object stored, Output out) {
            local((long) stored, ' ', rules, precision, out);
        }

        /** With as few digits of a second as are needed, a multiple of three. */
        void grouped(long ticks, Output out) {
            long nanos = Math.floorMod(ticks, TENS[precision]) * TENS[NANOS - precision];
            local(ticks, ' ', rules, nanos == 0 ? 0 : nanos % 1_000_000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : NANOS, out);
        }

        /** In UTC, with a T and a Z. */
        void iso(long ticks, Output out) {
            local(ticks, 'T', null, precision, out);
            out.put('Z');
        }

        /** As seconds since 1970. */
        void seconds(long ticks, Output out) {
            if (ticks < 0) out.put('-');
            long second = Math.abs(ticks / TENS[precision]);
            out.put(second);
            digits(Math.abs(ticks % TENS[precision]), precision, out);
        }

        private void local(long ticks, char between, ZoneRules in, int digits, Output out) {
            long second = Math.floorDiv(ticks, TENS[precision]);
            long fraction = Math.floorMod(ticks, TENS[precision]);
            if (in != null) {
                second += in.getOffset(java.time.Instant.ofEpochSecond(second)).getTotalSeconds();
            }
            TimeWriters.day((int) Math.floorDiv(second, 86_400L), out);
            out.put(between);
            TimeWriters.time((int) Math.floorMod(second, 86_400L), out);
            boolean fewer = digits < precision;
            digits(fewer ? fraction / TENS[precision - digits] : fraction * TENS[digits - precision], digits, out);
        }

        /** The nanoseconds of best effort, in this precision; null if there is no room for them. */
        Object ofNanos(long seconds, int nanos) {
            return ticks(seconds, nanos / TENS[NANOS - precision]);
        }
    }
}
