package sluice.functions;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.JsonCursor;
import sluice.values.JsonTree;
import sluice.values.NumberReaders;

/**
 * ClickHouse's functions of a value within a JSON document.
 *
 * <p>Each step of a path is a text: {@code k} and a key, or {@code i} and a position. What is not
 * there, or is no JSON, is the default of the function's type.
 */
public final class JsonPaths {
    private static final Decimal ZERO = Decimal.apply(BigDecimal.ZERO, 20, 0);

    private JsonPaths() {}

    /** The value at the end of a path, null if there is none. */
    static JsonTree at(UTF8String text, ArrayData path) {
        JsonTree found = JsonTree.of(text);
        for (int n = 0; found != null && n < path.numElements(); n++) {
            byte[] step = path.getUTF8String(n).getBytes();
            UTF8String rest = UTF8String.fromBytes(step, 1, step.length - 1);
            found = step[0] == 'k' ? found.get(rest) : found.get(Long.parseLong(rest.toString()));
        }
        return found;
    }

    /** Whether a text is JSON. */
    public static boolean jsonIsValid(UTF8String text) {
        return JsonTree.of(text) != null;
    }

    /** Whether there is a value. */
    public static boolean jsonHas(UTF8String text, ArrayData path) {
        return at(text, path) != null;
    }

    /** A string as it is, anything else as JSON. */
    public static UTF8String jsonString(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        return found == null || found.kind == JsonTree.Kind.NULL ? UTF8String.EMPTY_UTF8 : text(found);
    }

    static UTF8String text(JsonTree value) {
        boolean plain = value.kind == JsonTree.Kind.STRING || value.kind == JsonTree.Kind.BIG;
        return plain ? value.text : value.json();
    }

    /** A value as JSON. */
    public static UTF8String jsonRaw(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        return found == null ? UTF8String.EMPTY_UTF8 : found.json();
    }

    /** An Int64. */
    public static long jsonInt(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        return number(found, false) instanceof Long whole ? whole : 0;
    }

    /** A UInt64. */
    public static Decimal jsonUInt(UTF8String text, ArrayData path) {
        Decimal found = unsigned(number(at(text, path), false));
        return found == null ? ZERO : found;
    }

    static Decimal unsigned(Object number) {
        if (number instanceof Long whole) {
            return whole < 0 ? null : Decimal.createUnsafe(whole, 20, 0);
        }
        return number instanceof BigInteger big ? Decimal.apply(new BigDecimal(big), 20, 0) : null;
    }

    /** A Float64. */
    public static double jsonFloat(UTF8String text, ArrayData path) {
        Double found = real(at(text, path), false);
        return found == null ? 0 : found;
    }

    /** Whether it is true, or an integer that is not 0. */
    public static boolean jsonBool(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        return found != null && found.whole != 0;
    }

    /** How many items or keys there are. */
    public static long jsonLength(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        return found == null || found.items == null ? 0 : found.items.size();
    }

    /** The keys of an object. */
    public static ArrayData jsonKeys(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        return array(found == null || found.keys == null ? List.of() : found.keys);
    }

    /** The items of a list as JSON. */
    public static ArrayData jsonArrayRaw(UTF8String text, ArrayData path) {
        JsonTree found = at(text, path);
        List<UTF8String> items = new ArrayList<>();
        if (found != null && found.kind == JsonTree.Kind.LIST) {
            found.items.forEach(item -> items.add(item.json()));
        }
        return array(items);
    }

    private static ArrayData array(List<UTF8String> items) {
        return new GenericArrayData(items.toArray());
    }

    /** A value as one of a type, in a row of its own; the type is described as decoders' types are. */
    public static InternalRow jsonExtract(UTF8String text, ArrayData path, UTF8String type) {
        return new GenericInternalRow(new Object[] {JsonFit.of(type).value(at(text, path))});
    }

    /**
     * A number, or the number that a string is, cut off after the point: a Long, or a BigInteger of
     * 64 bits without a sign; null if it is none. {@code flags}: true and false are numbers, too.
     */
    static Object number(JsonTree value, boolean flags) {
        if (value == null) return null;
        switch (value.kind) {
            case INT: return value.whole;
            case UINT: return new BigInteger(Long.toUnsignedString(value.whole));
            case BOOL: return flags ? value.whole : null;
            case DOUBLE:
            case BIG: return cut(value.real);
            case STRING: return parsed(value.text.getBytes());
            default: return null;
        }
    }

    private static Object cut(double real) {
        if (real >= -0x1p63 && real < 0x1p63) return (long) real;
        return real >= 0 && real < 0x1p64 ? new BigDecimal(real).toBigInteger() : null;
    }

    private static Object parsed(byte[] text) {
        int first = text.length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
        int at = first;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') at++;
        if (at == first || at < text.length) {
            return JsonCursor.isNumber(text, 0, text.length) ? cut(parsedReal(text)) : null;
        }
        int from = text[0] == '+' ? 1 : 0;
        String digits = new String(text, from, text.length - from, StandardCharsets.ISO_8859_1);
        if (text.length <= 18) return Long.parseLong(digits);
        BigInteger value = text.length > 1000 ? BigInteger.ONE.shiftLeft(64) : new BigInteger(digits);
        if (value.bitLength() < 64) return value.longValue();
        return value.signum() > 0 && value.bitLength() == 64 ? value : null;
    }

    private static double parsedReal(byte[] text) {
        return Double.parseDouble(new String(text, StandardCharsets.ISO_8859_1));
    }

    /** A floating point number, or the one that a string is; null if it is none. */
    static Double real(JsonTree value, boolean flags) {
        if (value == null) return null;
        switch (value.kind) {
            case INT: return (double) value.whole;
            case UINT: return new BigInteger(Long.toUnsignedString(value.whole)).doubleValue();
            case BOOL: return flags ? (Double) (double) value.whole : null;
            case DOUBLE:
            case BIG: return value.real;
            case STRING: {
                byte[] text = value.text.getBytes();
                if (JsonCursor.isNumber(text, 0, text.length)) return parsedReal(text);
                boolean known = JsonCursor.notFinite(text, 0, text.length);
                return known ? (Double) NumberReaders.notFinite(text, 0) : null;
            }
            default: return null;
        }
    }
}
