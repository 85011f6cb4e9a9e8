package sluice.values;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import sluice.scan.JsonCursor;
import sluice.scan.QuotedText;

/**
 * Reads a value in the form in which ClickHouse writes it, and no other.
 *
 * <p>For formats that ClickHouse reads too: what else a text may mean is left to it.
 */
final class CanonicalReader extends ValueReader {
    /** A form of a type's texts; {@code inQuotes}: they are in quotes in arrays and in JSON. */
    private record Form(Shape shape, boolean inQuotes) implements Serializable {}

    private interface Shape extends Serializable {
        boolean is(byte[] b, int from, int to);
    }

    private static final Duration AROUND = Duration.ofDays(1);
    private static final int YEAR_OF_DATE32 = 1900, LAST_YEAR = 2299, LAST_YEAR_OF_NANOS = 2261;
    private static final String FINE = "DateTime64(";

    private final ValueReader value;
    private final Form form;
    private final boolean seconds; // whether an integer is a time, too
    private final boolean quotable; // whether JSON may have it in quotes, too
    private final ZoneRules zone; // of an instant, if its clocks may change

    private CanonicalReader(ValueReader value, Form form, TypeSpec type) {
        super(value.type, value.missing);
        this.value = value;
        this.form = form;
        seconds = type.kind().equals("instant") && type.precision() < 0;
        quotable = type.kind().equals("whole") || type.kind().equals("unsigned64");
        boolean zoned = type.kind().equals("instant") && type.json().hasNonNull("zone");
        ZoneRules rules = zoned ? ZoneId.of(type.json().get("zone").asText()).getRules() : null;
        zone = rules == null || rules.isFixedOffset() ? null : rules;
        nothing = value.nothing;
        strict = value.strict || type.kind().equals("choice") && !type.nullable(); // whose default is no value
        emptyIsDefault = value.emptyIsDefault;
    }

    /**
     * The reader of a type whose texts have such a form; of others the one that is given.
     *
     * <p>{@code freely}: times may also be written as {@code YYYY-MM-DDThh:mm:ssZ}.
     */
    static ValueReader of(ValueReader value, TypeSpec type, boolean freely) {
        Form form = form(type, freely);
        return form == null ? value : new CanonicalReader(value, form, type);
    }

    private static Form form(TypeSpec type, boolean freely) {
        switch (type.kind()) {
            case "whole":
            case "unsigned64": return new Form(CanonicalReader::integer, false);
            case "floating":
            case "bfloat16": return new Form(CanonicalReader::floating, false);
            case "exact": return new Form(CanonicalReader::decimal, false);
            case "bool": return new Form(CanonicalReader::flag, false);
            case "uuid": return new Form((b, from, to) -> to - from == 36, true);
            case "choice": return new Form((b, from, to) -> from < to && !number(b[from]), true);
            case "day":
                int first = type.json().path("wide").asBoolean() ? YEAR_OF_DATE32 : 1970;
                return new Form((b, from, to) -> to - from == 10 && day(b, from, first, LAST_YEAR), true);
            case "instant":
                int digits = Math.max(type.precision(), 0);
                int since = type.precision() < 0 ? 1970 : YEAR_OF_DATE32;
                return new Form((b, from, to) -> instant(b, from, to, digits, since, LAST_YEAR, freely), true);
            case "encoded": return encoded(type.json().get("type").asText(), freely);
            default: return null;
        }
    }

    private static Form encoded(String type, boolean freely) {
        if (type.startsWith("Int") || type.startsWith("UInt")) return new Form(CanonicalReader::integer, false);
        if (type.startsWith("Decimal")) return new Form(CanonicalReader::decimal, false);
        if (type.startsWith("IPv4")) return new Form((b, from, to) -> address(b, from, to, '.'), true);
        if (type.startsWith("IPv6")) return new Form((b, from, to) -> address(b, from, to, ':'), true);
        if (type.startsWith(FINE)) {
            int digits = type.charAt(FINE.length()) - '0';
            return new Form((b, from, to) -> instant(b, from, to, digits, YEAR_OF_DATE32, LAST_YEAR_OF_NANOS, freely), true);
        }
        return new Form((b, from, to) -> false, true);
    }

    @Override
    public Object text(byte[] b, int from, int to) {
        if (form.shape.is(b, from, to)) {
            Object found = value.text(b, from, to);
            if (zone != null && changes((Long) found)) throw wrong(b, from, to);
            return found;
        }
        if (seconds && isSeconds(b, from, to)) return value.number(b, from, to);
        throw wrong(b, from, to);
    }

    @Override
    public Object empty() {
        throw wrong(new byte[0], 0, 0);
    }

    @Override
    public Object quoted(QuotedText in) {
        in.item();
        if (in.isNull()) return none();
        boolean number = seconds && !in.inQuotes && isSeconds(in.text, in.from, in.to);
        if (number) return value.number(in.text, in.from, in.to);
        if (in.inQuotes != form.inQuotes) throw wrong(in.text, in.from, in.to);
        return text(in.text, in.from, in.to);
    }

    @Override
    public Object json(JsonCursor in) {
        byte kind = in.next();
        if (kind == JsonCursor.NULL) return none();
        if (kind == JsonCursor.LIST || kind == JsonCursor.OBJECT) throw wrong(in);
        boolean quoted = kind == JsonCursor.STRING;
        if (quoted != form.inQuotes && !(quoted && quotable)) throw wrong(in.text, in.from, in.to);
        return text(in.text, in.from, in.to);
    }

    private static boolean number(byte b) {
        return TimeReaders.digit(b) || b == '-' || b == '+';
    }

    /** An integer without a plus and without zeros before it. */
    private static boolean integer(byte[] b, int from, int to) {
        boolean minus = from < to && b[from] == '-';
        int first = minus ? from + 1 : from;
        int last = digits(b, first, to);
        return last == to && last > first && (b[first] != '0' || last == first + 1 && !minus);
    }

    private static boolean decimal(byte[] b, int from, int to) {
        int point = from;
        while (point < to && b[point] != '.') point++;
        int first = from < to && b[from] == '-' ? from + 1 : from;
        if (!integer(b, first, point)) return false;
        return point == to || point + 1 < to && digits(b, point + 1, to) == to;
    }

    private static boolean floating(byte[] b, int from, int to) {
        if (to - from >= 3 && JsonCursor.notFinite(b, from, to)) {
            return b[from] == 'n' && b[from + 1] == 'a' || b[to - 3] == 'i' && b[to - 1] == 'f' && b[from] != '+';
        }
        int mantissa = from;
        while (mantissa < to && b[mantissa] != 'e') mantissa++;
        if (!decimal(b, from, mantissa)) return false;
        if (mantissa == to) return true;
        int first = mantissa + 1;
        if (first < to && (b[first] == '-' || b[first] == '+')) first++;
        return first < to && to - first < 4 && digits(b, first, to) == to;
    }

    private static boolean flag(byte[] b, int from, int to) {
        return NumberReaders.flag(b, from, to) >= 0;
    }

    /** {@code YYYY-MM-DD} from a year to another. */
    private static boolean day(byte[] b, int from, int first, int last) {
        boolean written = digits(b, from, from + 4) == from + 4 && b[from + 4] == '-' && two(b, from + 5)
            && b[from + 7] == '-' && two(b, from + 8);
        if (!written) return false;
        int year = 0;
        for (int i = from; i < from + 4; i++) year = 10 * year + b[i] - '0';
        return year >= first && year <= last;
    }

    /** {@code YYYY-MM-DD hh:mm:ss}, with as many digits more as the type has, or fewer. */
    private static boolean instant(byte[] b, int from, int to, int digits, int first, int last, boolean freely) {
        int second = from + 19;
        if (to < second || !day(b, from, first, last)) return false;
        if (b[from + 10] != ' ' && !(freely && b[from + 10] == 'T')) return false;
        if (!two(b, from + 11) || b[from + 13] != ':' || !two(b, from + 14) || b[from + 16] != ':' || !two(b, from + 17)) {
            return false;
        }
        int end = freely && to > second && b[to - 1] == 'Z' ? to - 1 : to;
        if (end == second) return true;
        return b[second] == '.' && end > second + 1 && end - second - 1 <= digits && digits(b, second + 1, end) == end;
    }

    /** Seconds since 1970, as many digits as those of today. */
    private static boolean isSeconds(byte[] b, int from, int to) {
        return to - from == TimeReaders.SECONDS && b[from] != '0' && digits(b, from, to) == to;
    }

    /** Whether clocks are changed around a time, which then may be two, or none. */
    private boolean changes(long micros) {
        Instant time = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L));
        return !zone.getOffset(time.minus(AROUND)).equals(zone.getOffset(time.plus(AROUND)));
    }

    /** Digits, of an address with colons also hexadecimal ones, and what is between them. */
    private static boolean address(byte[] b, int from, int to, char between) {
        for (int i = from; i < to; i++) {
            boolean digit = TimeReaders.digit(b[i]) || between == ':' && b[i] >= 'a' && b[i] <= 'f';
            if (!digit && b[i] != between) return false;
        }
        return from < to;
    }

    private static boolean two(byte[] b, int at) {
        return TimeReaders.digit(b[at]) && TimeReaders.digit(b[at + 1]);
    }

    /** Where digits end. */
    private static int digits(byte[] b, int from, int to) {
        int i = from;
        while (i < to && TimeReaders.digit(b[i])) i++;
        return i;
    }
}
