package sluice.values;

import java.time.ZoneId;
import java.time.zone.ZoneRules;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Days and instants as text. */
public final class TimeWriters {
    private static final long MICROS = 1_000_000L;
    private static final int[] TENS = {1_000_000, 100_000, 10_000, 1_000, 100, 10, 1};

    private TimeWriters() {}

    /** {@code 2020-01-31}. */
    static final ValueWriter.InQuotes DAY = (row, at, out) -> day(row.getInt(at), out);

    /** An instant in its zone, in UTC with a Z, or as seconds. */
    static final class Instant implements ValueWriter.InQuotes {
        private final int precision;
        private final ZoneRules rules;
        private final boolean iso;
        private final boolean seconds;
        private final boolean grouped;

        /**
         * With so many digits after the second, or {@code grouped} as few times three as are needed;
         * {@code form} is simple, iso or unix_timestamp.
         */
        Instant(int precision, String zone, String form, boolean grouped) {
            this.grouped = grouped && form.equals("simple");
            this.precision = Math.max(precision, 0);
            this.iso = form.equals("iso");
            this.seconds = form.equals("unix_timestamp");
            boolean utc = zone == null || zone.equals("UTC") || iso || seconds;
            this.rules = utc ? null : ZoneId.of(zone).getRules();
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            long micros = row.getLong(at);
            long second = Math.floorDiv(micros, MICROS);
            int fraction = (int) Math.floorMod(micros, MICROS);
            if (seconds) {
                epoch(second, fraction, out);
                return;
            }
            if (rules != null) {
                second += rules.getOffset(java.time.Instant.ofEpochSecond(second)).getTotalSeconds();
            }
            day((int) Math.floorDiv(second, 86_400L), out);
            out.put(iso ? 'T' : ' ');
            time((int) Math.floorMod(second, 86_400L), out);
            digits(fraction, out);
            if (iso) out.put('Z');
        }

        /** Before 1970 the whole seconds and the fraction are both negative. */
        private void epoch(long second, int fraction, Output out) {
            if (second < 0 && fraction > 0) {
                second++;
                fraction = (int) MICROS - fraction;
                if (second == 0) out.put('-');
            }
            out.put(second);
            digits(fraction, out);
        }

        private void digits(int fraction, Output out) {
            int digits = !grouped ? precision : fraction == 0 ? 0 : fraction % 1000 == 0 ? 3 : 6;
            if (digits == 0) return;
            out.put('.');
            out.padded(fraction / TENS[digits], digits);
        }
    }

    /** {@code hh:mm:ss}. */
    public static void time(int ofDay, Output out) {
        out.padded(ofDay / 3600, 2);
        out.put(':');
        out.padded(ofDay / 60 % 60, 2);
        out.put(':');
        out.padded(ofDay % 60, 2);
    }

    /** A day of the years 0 to 9999. */
    public static void day(int day, Output out) {
        int z = day + 719_468; // days since March of the year 0
        int era = Math.floorDiv(z, 146_097);
        int ofEra = z - era * 146_097;
        int year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365;
        int ofYear = ofEra - (365 * year + year / 4 - year / 100);
        int march = (5 * ofYear + 2) / 153;
        int month = march < 10 ? march + 3 : march - 9;
        out.padded(year + era * 400 + (month <= 2 ? 1 : 0), 4);
        out.put('-');
        out.padded(month, 2);
        out.put('-');
        out.padded(ofYear - (153 * march + 2) / 5 + 1, 2);
    }
}
