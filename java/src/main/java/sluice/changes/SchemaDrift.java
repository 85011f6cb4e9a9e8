package sluice.changes;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.changes.DeclaredType.Encoding;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;

/**
 * Columns of changes that the table does not declare and its target takes: {@code schema.drift = evolve}.
 *
 * <p>Those that the target has are read like others, except that a value that does not fit is never cut
 * off or left out. With {@code envelope.discover} the others are listed with the types that the message,
 * or their value, gives them; without it a message with one is bad: the target has refused it.
 */
final class SchemaDrift implements Serializable {
    /** Reads the types that a part of a message declares. */
    interface Declares extends Serializable {
        Map<String, DeclaredType> read(byte[] text, int from, int to);
    }

    /** So many columns of one message are listed; no table has more. */
    private static final int MOST = 1000;
    private static final DateTimeFormatter SQL = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");
    private static final DateTimeFormatter ISO = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS");

    private final boolean discover;
    private final boolean iso;
    private final boolean clickHouse;
    private final Declares declares;
    private final List<String> evolved;
    private final Map<String, String> refused = new HashMap<>();
    private final String reason;
    private transient Map<String, String> found;
    private transient Map<String, DeclaredType> declared;
    private transient byte[] schema; // the part of a message that declared these

    private SchemaDrift(Settings options, Declares declares) {
        this.declares = declares;
        discover = options.fixed("envelope.discover");
        clickHouse = options.fixed("clickhouse");
        iso = "ISO-8601".equals(options.textOrNull("timestamp-format.standard"));
        evolved = options.texts("envelope.evolved");
        List<String> pairs = options.texts("envelope.refused");
        reason = pairs.isEmpty() ? "" : pairs.get(0);
        for (int i = 1; i + 1 < pairs.size(); i += 2) refused.put(pairs.get(i), pairs.get(i + 1));
    }

    /** Null unless the table's drift is {@code evolve}. */
    static SchemaDrift of(Settings options, Declares declares) {
        return options.fixed("envelope.evolve") ? new SchemaDrift(options, declares) : null;
    }

    /** Before the rows of a message are read; the types are declared between two places, if anywhere. */
    void begin(byte[] message, int from, int to) {
        found = null;
        if (from < 0) {
            declared = Map.of();
            schema = null;
        } else if (schema == null || !Arrays.equals(schema, 0, schema.length, message, from, to)) {
            schema = Arrays.copyOfRange(message, from, to);
            declared = declares.read(schema, 0, schema.length);
        }
    }

    /** The same for a message whose types are known. */
    void begin(Map<String, DeclaredType> types) {
        found = null;
        declared = types;
    }

    /** The columns that were found in the message, each as its type and its name; null if there are none. */
    GenericArrayData discovered() {
        if (found == null) return null;
        Object[] listed = found.entrySet().stream()
            .map(each -> UTF8String.fromString(each.getValue() + ' ' + each.getKey())).toArray();
        return new GenericArrayData(listed);
    }

    /** A column that neither the table nor its target has; its value comes next. */
    void unknown(JsonCursor in, boolean omits) {
        String name = new String(in.text, in.from, in.to - in.from, StandardCharsets.UTF_8);
        if (isNull(in)) {
            in.skip();
        } else if (!omits || !Unavailable.took(in)) {
            if (discover) discovered(name, in);
            else refuse(name);
            in.skip();
        }
    }

    private void discovered(String name, JsonCursor in) {
        if (found == null) found = new LinkedHashMap<>();
        DeclaredType type = declared.get(name);
        if (found.size() < MOST) found.putIfAbsent(name, type == null ? typeOf(in) : type.type());
    }

    /** A column that was not refused is one of a message that was bad already. */
    private void refuse(String name) {
        String why = refused.getOrDefault(name, reason);
        if (!why.isEmpty()) throw new BadValue("Column " + name + " cannot be added. " + why);
    }

    private static boolean isNull(JsonCursor in) {
        return in.peek() == 'n' && in.at + 1 < in.end && in.bytes[in.at + 1] == 'u';
    }

    /** The type of a value by itself. */
    private static String typeOf(JsonCursor in) {
        int start = in.at;
        byte kind = in.next();
        in.at = start;
        if (kind == JsonCursor.BOOL) return "BOOLEAN";
        if (kind != JsonCursor.NUMBER) return DeclaredType.STRING;
        String text = text(in);
        if (!isWhole(text)) return "FLOAT64";
        return new BigInteger(text).bitLength() < 64 ? "INT64" : DeclaredType.STRING;
    }

    private static boolean isWhole(String number) {
        return number.chars().skip(number.startsWith("-") || number.startsWith("+") ? 1 : 0)
            .allMatch(Character::isDigit);
    }

    private static String text(JsonCursor in) {
        return new String(in.text, in.from, in.to - in.from, StandardCharsets.UTF_8);
    }

    /** Whether a column is one that the table does not declare. */
    boolean has(String column) {
        return evolved.contains(column);
    }

    /** The reader of such a column's values. */
    ValueReader reader(String column, TypeSpec type, ValueReader values) {
        return new Exactly(column, type, values);
    }

    /** Reads a value as the message declares it, and as nothing less than it is. */
    private final class Exactly extends ValueReader {
        private final String column;
        private final String kind;
        private final int precision;
        private final int scale;
        private final ValueReader values;

        Exactly(String column, TypeSpec type, ValueReader values) {
            super(values.type, values.missing);
            this.column = column;
            this.values = values;
            kind = type.kind();
            boolean exact = kind.equals("exact");
            precision = exact ? type.precision() : 0;
            scale = exact ? type.scale() : 0;
        }

        @Override
        public Object text(byte[] bytes, int from, int to) {
            return values.text(bytes, from, to);
        }

        @Override
        public Object json(JsonCursor in) {
            if (isNull(in)) return values.json(in);
            DeclaredType given = declared.get(column);
            if (given != null && given.encoding() != Encoding.PLAIN && !kind.equals("whole")) {
                int start = in.at;
                String plain = plain(in, given);
                if (plain != null) return checked(new JsonCursor(quoted(plain)));
                in.at = start;
            }
            return checked(in);
        }

        private static byte[] quoted(String text) {
            return ('"' + text + '"').getBytes(StandardCharsets.US_ASCII);
        }

        private Object checked(JsonCursor in) {
            int start = in.at;
            byte sort = in.next();
            if (sort != JsonCursor.LIST && sort != JsonCursor.OBJECT && !fits(sort, SchemaDrift.text(in))) {
                throw wrong(in.text, in.from, in.to);
            }
            in.at = start;
            return values.json(in);
        }

        /** Whether a scalar is not cut off, rounded or taken for false. */
        private boolean fits(byte sort, String text) {
            switch (kind) {
                case "whole":
                case "unsigned64": return sort != JsonCursor.BOOL && (sort == JsonCursor.STRING || isWhole(text));
                case "bool": return sort == JsonCursor.BOOL;
                case "exact": return sort != JsonCursor.BOOL && isExact(text);
                case "floating": return sort != JsonCursor.BOOL;
                default: return true;
            }
        }

        /** Whether a number has no more digits than the type, before and after the point. */
        private boolean isExact(String number) {
            try {
                BigDecimal exact = new BigDecimal(number).stripTrailingZeros();
                return exact.scale() <= scale && exact.precision() - exact.scale() <= precision - scale;
            } catch (NumberFormatException bad) {
                return false;
            }
        }

        /** A value as JSON has it that is encoded, or null if it is not. */
        private String plain(JsonCursor in, DeclaredType given) {
            try {
                switch (given.encoding()) {
                    case ZONED: return in.next() == JsonCursor.STRING ? timed(instant(in)) : null;
                    case UNSCALED:
                        return in.next() == JsonCursor.STRING ? decimal(SchemaDrift.text(in), given.scale()) : null;
                    default: return numbered(in.whole(), given.encoding());
                }
            } catch (DateTimeException | ArithmeticException | IllegalArgumentException bad) {
                throw new BadValue("Column " + column + ": " + bad.getMessage());
            }
        }

        private String numbered(long number, Encoding encoding) {
            if (number == JsonCursor.NONE) return null;
            switch (encoding) {
                case DAYS: return dated(LocalDate.ofEpochDay(number));
                case MILLISECONDS: return timed(Instant.ofEpochMilli(number));
                default: return timed(Instant.EPOCH.plus(number, ChronoUnit.MICROS));
            }
        }

        private static String dated(LocalDate day) {
            if (day.getYear() < 1 || day.getYear() > 9999) {
                throw new DateTimeException(day + " is not between the years 1 and 9999.");
            }
            return day.toString();
        }

        private String timed(Instant moment) {
            LocalDateTime local = LocalDateTime.ofInstant(moment, ZoneOffset.UTC);
            dated(local.toLocalDate());
            String text = (iso ? ISO : SQL).format(local);
            return kind.equals("instant") && !clickHouse ? text + 'Z' : text;
        }

        private static Instant instant(JsonCursor in) {
            return OffsetDateTime.parse(SchemaDrift.text(in)).toInstant();
        }

        private static String decimal(String text, int scale) {
            return new BigDecimal(new BigInteger(Base64.getDecoder().decode(text)), scale).toPlainString();
        }
    }
}
