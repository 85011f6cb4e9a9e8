package sluice.values;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import sluice.scan.JsonCursor;
import sluice.scan.QuotedText;

/** Reads and writes values of the types that have an {@link Encoding}. */
final class EncodedValues {
    static final String GROUPED = "date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands";

    private EncodedValues() {}

    /** Reads what is stored of texts and numbers. */
    static final class Reader extends ValueReader {
        private final Encoding encoding;
        private final boolean flags;

        /** {@code flags}: whether JSON may have an integer as true or false. */
        Reader(String type, Encoding encoding, boolean flags, boolean nullable) {
            super(type, nullable ? null : encoding.zero());
            this.encoding = encoding;
            this.flags = flags;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            return checked(encoding.parsed(b, from, to), b, from, to);
        }

        @Override
        public Object empty() {
            return checked(encoding.empty(), new byte[0], 0, 0);
        }

        @Override
        public Object json(JsonCursor in) {
            switch (in.next()) {
                case JsonCursor.NULL: return none();
                case JsonCursor.LIST:
                case JsonCursor.OBJECT: throw wrong(in);
                case JsonCursor.NUMBER: return number(in.text, in.from, in.to);
                default:
                    if (emptyIsDefault && in.from == in.to) return missing;
                    int flag = flags ? NumberReaders.flag(in.text, in.from, in.to) : -1;
                    Object found = flag < 0 ? null : encoding.ofFlag(flag);
                    if (found != null) return found;
                    return in.from == in.to ? empty() : text(in.text, in.from, in.to);
            }
        }

        @Override
        public Object quoted(QuotedText in) {
            in.item();
            if (in.isNull()) return none();
            return in.inQuotes ? text(in.text, in.from, in.to) : number(in.text, in.from, in.to);
        }

        @Override
        public Object number(byte[] b, int from, int to) {
            return checked(encoding.number(b, from, to), b, from, to);
        }

        private Object checked(Object found, byte[] b, int from, int to) {
            if (found == null) throw wrong(b, from, to);
            return found;
        }
    }

    /** Reads a DateTime64 of more than six digits by best effort. */
    static final class BestEffort extends ValueReader {
        private final Clocks.Instant encoding;
        private final boolean monthFirst;

        BestEffort(String type, Clocks.Instant encoding, boolean monthFirst, boolean nullable) {
            super(type, nullable ? null : encoding.zero());
            this.encoding = encoding;
            this.monthFirst = monthFirst;
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            if (to - from > 10 && TimeReaders.calendar(b, from, to)) { // as most are written
                Object plain = encoding.parsed(b, from, to);
                if (plain != null) return plain;
            }
            BestEffortTime read = new BestEffortTime(b, from, to, monthFirst);
            if (!read.all()) throw wrong(b, from, to);
            Object found = read.instant != null ? ofInstant(read) : ofCalendar(read);
            if (found == null) throw wrong(b, from, to);
            return found;
        }

        @Override
        public Object number(byte[] b, int from, int to) {
            Object found = encoding.number(b, from, to);
            if (found == null) throw wrong(b, from, to);
            return found;
        }

        private Object ofInstant(BestEffortTime read) {
            long second = Math.floorDiv(read.instant, 1_000_000L);
            int micros = (int) Math.floorMod(read.instant, 1_000_000L);
            return encoding.ofNanos(second, micros * 1000 + read.nanos);
        }

        private Object ofCalendar(BestEffortTime read) {
            int day = TimeReaders.day(read.year, read.month, read.day);
            if (day == TimeReaders.NONE) return null;
            long second = day * 86_400L + read.second;
            int offset = read.offset != null ? read.offset : encoding.offset(second);
            return encoding.ofNanos(second - offset, (int) read.micros * 1000 + read.nanos);
        }
    }

    private static Object stored(SpecializedGetters row, int at, Encoding encoding) {
        return encoding.zero() instanceof Long ? (Object) row.getLong(at) : row.getBinary(at);
    }

    /** The writer of a type. */
    static ValueWriter writer(Encoding encoding, Settings settings) {
        if (encoding.inQuotes) {
            ValueWriter.InQuotes texts = encoding instanceof Clocks.Instant instant
                ? instants(instant, settings.text("date_time_output_format"), settings.fixed(GROUPED))
                : (row, at, out) -> encoding.write(stored(row, at, encoding), out);
            return texts;
        }
        boolean exact = encoding instanceof WideNumbers.DecimalValue;
        String what = "output_format_json_quote_" + (exact ? "decimals" : "64bit_integers");
        boolean zeros = exact && settings.flag("output_format_decimal_trailing_zeros");
        return new Number(encoding, settings.flag(what), zeros);
    }

    private static ValueWriter.InQuotes instants(Clocks.Instant encoding, String form, boolean grouped) {
        switch (form) {
            case "iso": return (row, at, out) -> encoding.iso(row.getLong(at), out);
            case "unix_timestamp": return (row, at, out) -> encoding.seconds(row.getLong(at), out);
            default: return grouped ? (row, at, out) -> encoding.grouped(row.getLong(at), out)
                : (row, at, out) -> encoding.write(row.getLong(at), out);
        }
    }

    /** A number; in JSON perhaps in quotes, a decimal perhaps with all {@code zeros}. */
    private record Number(Encoding encoding, boolean inQuotes, boolean zeros) implements ValueWriter {
        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            if (zeros && encoding instanceof WideNumbers.DecimalValue exact) out.put(exact.padded(row.getBinary(at)));
            else encoding.write(row.getBinary(at), out);
        }

        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            if (inQuotes) key(row, at, out);
            else plain(row, at, out);
        }
    }
}
