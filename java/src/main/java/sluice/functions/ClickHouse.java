package sluice.functions;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleUnaryOperator;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.errors.ConditionException;
import sluice.scan.BadValue;
import sluice.values.Escapes;
import sluice.values.FloatText;
import sluice.values.NumberReaders;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TimeReaders;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/** ClickHouse functions that Spark has none of, or with other results. A string is bytes here. */
public final class ClickHouse {
    private ClickHouse() {}

    /** Halves go to the even neighbour. */
    public static double round(double value, int digits) {
        return rounded(value, digits, Math::rint);
    }

    /** Towards negative infinity. */
    public static double floor(double value, int digits) {
        return rounded(value, digits, Math::floor);
    }

    /** Towards positive infinity. */
    public static double ceil(double value, int digits) {
        return rounded(value, digits, Math::ceil);
    }

    /** Towards zero. */
    public static double trunc(double value, int digits) {
        return rounded(value, digits, value < 0 ? Math::ceil : Math::floor);
    }

    private static double rounded(double value, int digits, DoubleUnaryOperator round) {
        double power = power(Math.abs(digits));
        return digits > 0 ? round.applyAsDouble(value * power) / power
            : round.applyAsDouble(value / power) * power;
    }

    /** As {@link #round}, of a Float32. */
    public static float roundFloat(float value, int digits) {
        return roundedFloat(value, digits, Math::rint);
    }

    /** As {@link #floor}, of a Float32. */
    public static float floorFloat(float value, int digits) {
        return roundedFloat(value, digits, Math::floor);
    }

    /** As {@link #ceil}, of a Float32. */
    public static float ceilFloat(float value, int digits) {
        return roundedFloat(value, digits, Math::ceil);
    }

    /** As {@link #trunc}, of a Float32. */
    public static float truncFloat(float value, int digits) {
        return roundedFloat(value, digits, value < 0 ? Math::ceil : Math::floor);
    }

    /** The product that is rounded is a Float32, too. */
    private static float roundedFloat(float value, int digits, DoubleUnaryOperator round) {
        float power = (float) power(Math.abs(digits));
        return digits > 0 ? (float) round.applyAsDouble(value * power) / power
            : (float) round.applyAsDouble(value / power) * power;
    }

    private static final double[] POWERS = new double[309];

    static {
        for (int at = 0; at < POWERS.length; at++) POWERS[at] = Double.parseDouble("1e" + at);
    }

    private static double power(int digits) {
        return digits < POWERS.length ? POWERS[digits] : Double.POSITIVE_INFINITY;
    }

    /** The remainder of floating point numbers, by the quotient that a Float64 has room for. */
    public static double modulo(double left, double right) {
        double quotient = left / right;
        return left - (quotient < 0 ? Math.ceil(quotient) : Math.floor(quotient)) * right;
    }

    /** A sum of Decimals; the last argument is the result's scale, here and below. */
    public static Decimal decimalPlus(Decimal left, Decimal right, int scale) {
        return decimal(left.toJavaBigDecimal().add(right.toJavaBigDecimal()), scale);
    }

    /** A difference of Decimals. */
    public static Decimal decimalMinus(Decimal left, Decimal right, int scale) {
        return decimal(left.toJavaBigDecimal().subtract(right.toJavaBigDecimal()), scale);
    }

    /** A product of Decimals. */
    public static Decimal decimalMultiply(Decimal left, Decimal right, int scale) {
        return decimal(left.toJavaBigDecimal().multiply(right.toJavaBigDecimal()), scale);
    }

    /** A quotient of Decimals, cut off. */
    public static Decimal decimalDivide(Decimal left, Decimal right, int scale) {
        BigDecimal divisor = right.toJavaBigDecimal();
        if (divisor.signum() == 0) throw QueryExecutionErrors.divideByZeroError(null);
        return decimal(left.toJavaBigDecimal().divide(divisor, scale, RoundingMode.DOWN), scale);
    }

    private static Decimal decimal(BigDecimal value, int scale) {
        BigDecimal found = value.setScale(scale, RoundingMode.DOWN);
        if (found.precision() > DecimalType.MAX_PRECISION()) {
            throw QueryExecutionErrors.cannotChangeDecimalPrecisionError(
                Decimal.apply(found), DecimalType.MAX_PRECISION(), scale, null);
        }
        return Decimal.apply(found, DecimalType.MAX_PRECISION(), scale);
    }

    /** A Float64 as text. */
    public static UTF8String doubleText(double value) {
        Output out = new Output();
        FloatText.write(value, out);
        return UTF8String.fromBytes(out.message());
    }

    /** A Float32 as text. */
    public static UTF8String floatText(float value) {
        Output out = new Output();
        FloatText.write(value, out);
        return UTF8String.fromBytes(out.message());
    }

    /** The BFloat16 of a Float32. */
    public static float bfloat16(float value) {
        return NumberReaders.upper(value);
    }

    /** The bytes in the other order. */
    public static UTF8String reverse(UTF8String text) {
        byte[] given = text.getBytes();
        byte[] found = new byte[given.length];
        for (int at = 0; at < given.length; at++) {
            found[at] = given[given.length - 1 - at];
        }
        return UTF8String.fromBytes(found);
    }

    /** ASCII letters in upper case, every other byte as it is. */
    public static UTF8String upper(UTF8String text) {
        return cased(text, 'a', 'z');
    }

    /** ASCII letters in lower case, every other byte as it is. */
    public static UTF8String lower(UTF8String text) {
        return cased(text, 'A', 'Z');
    }

    private static UTF8String cased(UTF8String text, char first, char last) {
        byte[] found = text.getBytes().clone();
        boolean same = true;
        for (int at = 0; at < found.length; at++) {
            if (found[at] >= first && found[at] <= last) {
                found[at] ^= 0x20;
                same = false;
            }
        }
        return same ? text : UTF8String.fromBytes(found);
    }

    /** A part of the bytes: from an offset that counts from 1, or from the end if it is negative. */
    public static UTF8String substring(UTF8String text, long from, long count) {
        byte[] given = text.getBytes();
        Slice slice = Slice.of(given.length, from, count);
        return UTF8String.fromBytes(given, slice.start(), slice.end() - slice.start());
    }

    /** Letters of words in upper case at the beginning, in lower case after it; ASCII's only. */
    public static UTF8String initcap(UTF8String text) {
        byte[] found = text.getBytes().clone();
        boolean inside = false;
        for (int at = 0; at < found.length; at++) {
            int letter = found[at];
            boolean upper = letter >= 'A' && letter <= 'Z';
            boolean lower = letter >= 'a' && letter <= 'z';
            if (inside ? upper : lower) found[at] ^= 0x20;
            inside = upper || lower || letter >= '0' && letter <= '9';
        }
        return UTF8String.fromBytes(found);
    }

    /** Where a text first is in another, in bytes from 1; 0 if it is not there. */
    public static long position(UTF8String text, UTF8String sought, long from) {
        return find(text.getBytes(), sought.getBytes(), (int) Math.max(from - 1, 0)) + 1;
    }

    /** Where bytes first are in others, -1 if they are not there. */
    static int find(byte[] given, byte[] wanted, int from) {
        for (int at = from; at + wanted.length <= given.length; at++) {
            int same = 0;
            while (same < wanted.length && given[at + same] == wanted[same]) same++;
            if (same == wanted.length) return at;
        }
        return -1;
    }

    /** How often a text is in another, one after the other. */
    public static long countSubstrings(UTF8String text, UTF8String sought) {
        byte[] given = text.getBytes();
        byte[] wanted = sought.getBytes();
        if (wanted.length == 0) return 0;
        long found = 0;
        for (int at = 0; (at = find(given, wanted, at)) >= 0; at += wanted.length) found++;
        return found;
    }

    /** What is between the places where a text is in another; without one, each byte. */
    public static ArrayData split(UTF8String text, UTF8String separator) {
        byte[] given = text.getBytes();
        byte[] between = separator.getBytes();
        List<Object> found = new ArrayList<>();
        int from = 0;
        if (between.length == 0) {
            while (from < given.length) found.add(UTF8String.fromBytes(given, from++, 1));
            return new GenericArrayData(found.toArray());
        }
        for (int at; (at = find(given, between, from)) >= 0; from = at + between.length) {
            found.add(UTF8String.fromBytes(given, from, at - from));
        }
        found.add(UTF8String.fromBytes(given, from, given.length - from));
        return new GenericArrayData(found.toArray());
    }

    /** How many bytes have to be put in, left out or changed to make one text of the other. */
    public static long editDistance(UTF8String left, UTF8String right) {
        return bytesAsLetters(left).levenshteinDistance(bytesAsLetters(right));
    }

    private static UTF8String bytesAsLetters(UTF8String text) {
        return text.isFullAscii() ? text : UTF8String.fromString(
            new String(text.getBytes(), StandardCharsets.ISO_8859_1));
    }

    /** A pattern of LIKE for Spark: a backslash that escapes nothing is itself. */
    public static UTF8String likePattern(UTF8String pattern) {
        byte[] given = pattern.getBytes();
        Output out = new Output(given.length + 8);
        for (int at = 0; at < given.length; at++) {
            boolean pair = given[at] == '\\' && at + 1 < given.length;
            if (pair && "%_\\".indexOf(given[at + 1]) < 0) out.put('\\');
            out.put(given[at]);
            if (pair) out.put(given[++at]);
        }
        return UTF8String.fromBytes(out.message());
    }

    /** The first byte of a text, 0 if it is empty. */
    public static int ascii(UTF8String text) {
        return text.numBytes() == 0 ? 0 : text.getByte(0) & 0xff;
    }

    /** A sum that wraps around. */
    public static long plus(long left, long right) {
        return left + right;
    }

    /** A difference that wraps around. */
    public static long minus(long left, long right) {
        return left - right;
    }

    /** A product that wraps around. */
    public static long multiply(long left, long right) {
        return left * right;
    }

    /** The bytes of a text, cut off or filled up at the left to so many. */
    public static UTF8String leftPad(UTF8String text, int size, UTF8String with) {
        return padded(text.getBytes(), size, with.getBytes(), true);
    }

    /** The bytes of a text, cut off or filled up at the right to so many. */
    public static UTF8String rightPad(UTF8String text, int size, UTF8String with) {
        return padded(text.getBytes(), size, with.getBytes(), false);
    }

    private static UTF8String padded(byte[] text, int size, byte[] with, boolean left) {
        if (size <= 0) return UTF8String.EMPTY_UTF8;
        byte[] filling = with.length == 0 ? new byte[] {' '} : with;
        byte[] found = new byte[size];
        int more = Math.max(size - text.length, 0);
        int start = left ? more : 0;
        System.arraycopy(text, 0, found, start, Math.min(size, text.length));
        for (int at = 0; at < more; at++) {
            found[left ? at : text.length + at] = filling[at % filling.length];
        }
        return UTF8String.fromBytes(found);
    }

    /** The host in an address, without port; nothing if it has no dot, or a password before it. */
    public static UTF8String domain(UTF8String address) {
        byte[] url = address.getBytes();
        int start = host(url);
        int dot = -1;
        int at = start;
        for (; at < url.length; at++) {
            int c = url[at];
            if (c == '.') {
                if (at + 1 == url.length || url[at + 1] == '.') return UTF8String.EMPTY_UTF8;
                dot = at;
            } else if (c == '@') {
                start = at + 1;
                dot = -1;
            } else if (c == ':' || c == '/' || c == '?' || c == '#') {
                break;
            } else if (" \t<>%{}|\\^~[];=&".indexOf(c) >= 0) {
                return UTF8String.EMPTY_UTF8;
            }
        }
        if (dot < start || at == start) return UTF8String.EMPTY_UTF8;
        return UTF8String.fromBytes(url, start, at - start);
    }

    /** The path of a URL, without its query. */
    public static UTF8String path(UTF8String address) {
        byte[] url = address.getBytes();
        int at = host(url);
        while (at < url.length && url[at] != '/' && url[at] != '?' && url[at] != '#') at++;
        int end = at;
        while (end < url.length && url[end] != '?' && url[end] != '#') end++;
        return UTF8String.fromBytes(url, at, end - at);
    }

    /** Where the host of an address begins. */
    private static int host(byte[] url) {
        if (url.length > 1 && url[0] == '/' && url[1] == '/') return 2;
        for (int at = 0; at + 2 < url.length; at++) {
            int c = url[at];
            if (c == ':') return url[at + 1] == '/' && url[at + 2] == '/' ? at + 3 : 0;
            boolean scheme = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
                || c == '+' || c == '-' || c == '.';
            if (!scheme) return 0;
        }
        return 0;
    }

    /** A number, or the bound that it is beyond. */
    public static long clamp(long value, long low, long high) {
        return Math.max(low, Math.min(value, high));
    }

    /** Seconds east of Greenwich as {@code +0530}. */
    public static UTF8String offset(long seconds) {
        long minutes = Math.abs(seconds) / 60;
        String text = String.format("%s%02d%02d", seconds < 0 ? "-" : "+", minutes / 60, minutes % 60);
        return UTF8String.fromString(text);
    }

    /** The days since 1970 of a date in text, null if it is none. */
    public static Integer parseDay(UTF8String text) {
        return text.numBytes() < 8 ? null : (Integer) parsed(DAY, text);
    }

    /**
     * The microseconds since 1970 of a time in text, null if it is none. Freely: by best effort,
     * else seconds since 1970 have five digits at least.
     */
    public static Long parseTime(UTF8String text, UTF8String zone, boolean freely) {
        if (!freely && text.numBytes() < 5) return null;
        Map<UTF8String, ValueReader> readers = freely ? BEST_EFFORT : BASIC;
        ValueReader reader = readers.get(zone);
        if (reader == null) {
            reader = new TimeReaders.Instant(
                "DateTime", freely ? 6 : -1, zone.toString(), freely ? "best_effort" : "basic", true);
            readers.put(zone.copy(), reader);
        }
        return (Long) parsed(reader, text);
    }

    private static final ValueReader DAY = new TimeReaders.Day("Date", true);
    private static final Map<UTF8String, ValueReader> BASIC = new ConcurrentHashMap<>();
    private static final Map<UTF8String, ValueReader> BEST_EFFORT = new ConcurrentHashMap<>();

    /** The object of a JSON text as it is stored; {@code column} is for the error, and may be empty. */
    public static UTF8String json(UTF8String text, UTF8String described, UTF8String column) {
        ValueReader reader = JSON.computeIfAbsent(described, key -> {
            JsonNode given = TypeSpec.tree(key.toString());
            Settings settings = new Settings(given.get("settings").toString());
            return new ValueReaders(settings, false).of(new TypeSpec(given.get("type")));
        });
        byte[] bytes = text.getBytes();
        try {
            return (UTF8String) reader.text(bytes, 0, bytes.length);
        } catch (BadValue bad) {
            BadValue told = column.numBytes() == 0 ? bad : bad.at("column", column.toString());
            throw ConditionException.ofExpression("INVALID_JSON", Map.of("reason", told.getMessage()));
        }
    }

    private static final Map<UTF8String, ValueReader> JSON = new ConcurrentHashMap<>();

    private static Object parsed(ValueReader reader, UTF8String text) {
        byte[] bytes = text.getBytes();
        try {
            return reader.text(bytes, 0, bytes.length);
        } catch (BadValue bad) {
            return null;
        }
    }

    /** A decimal number as text without trailing zeros. */
    public static UTF8String withoutZeros(UTF8String number) {
        byte[] given = number.getBytes();
        int end = given.length;
        while (end > 0 && given[end - 1] == '0') end--;
        if (end > 0 && given[end - 1] == '.') end--;
        return end == given.length ? number : UTF8String.fromBytes(given, 0, end);
    }

    /** A string in quotes, with backslashes before what would end it. */
    public static UTF8String quoted(UTF8String text) {
        Output out = new Output(text.numBytes() + 2);
        int first = out.open('\'');
        out.put(text);
        out.close(first, Escapes.TAB, '\'');
        return UTF8String.fromBytes(out.message());
    }
}
