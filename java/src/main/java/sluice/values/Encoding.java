package sluice.values;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How values of a scalar type that Spark lacks are stored: as a BIGINT, or as BINARY of a fixed length.
 * Stored values are ordered as the values are, so Spark compares, sorts and groups them as they are.
 */
public abstract class Encoding implements Serializable {
    private static final Map<String, Encoding> KNOWN = new ConcurrentHashMap<>();
    private static final Pattern NAME = Pattern.compile("(\\w+)(?:\\((\\d+)(?:, ?(?:(\\d+)|'([^']*)'))?\\))?");

    /** Whether values are texts in JSON and in arrays. */
    final boolean inQuotes;

    Encoding(boolean inQuotes) {
        this.inQuotes = inQuotes;
    }

    /** The encoding of a type, by its name in ClickHouse. */
    public static Encoding of(String type) {
        return KNOWN.computeIfAbsent(type, Encoding::made);
    }

    private static Encoding made(String type) {
        Matcher name = NAME.matcher(type);
        if (!name.matches()) throw new IllegalArgumentException(type);
        int first = name.group(2) == null ? 0 : Integer.parseInt(name.group(2));
        switch (name.group(1)) {
            case "IPv4": return new Addresses.V4();
            case "IPv6": return new Addresses.V6();
            case "Int128": return new WideNumbers.IntValue(16, true);
            case "Int256": return new WideNumbers.IntValue(32, true);
            case "UInt128": return new WideNumbers.IntValue(16, false);
            case "UInt256": return new WideNumbers.IntValue(32, false);
            case "Decimal": return new WideNumbers.DecimalValue(first, Integer.parseInt(name.group(3)));
            case "Time": return new Clocks.Time(0, false);
            case "Time64": return new Clocks.Time(first, true);
            case "DateTime64": return new Clocks.Instant(first, name.group(4));
            default: throw new IllegalArgumentException(type);
        }
    }

    /** What is stored where nothing is given. */
    abstract Object zero();

    /** What is stored for a text, null if it is none of the type. */
    abstract Object parsed(byte[] text, int from, int to);

    /** The same for a text that an expression casts, of which ClickHouse takes fewer. */
    public Object cast(byte[] text) {
        return parsed(text, 0, text.length);
    }

    /** What is stored for a number that is not in quotes. */
    public Object number(byte[] text, int from, int to) {
        return parsed(text, from, to);
    }

    /** What is stored for true and false, which are 1 and 0; null if they are none of the type. */
    Object ofFlag(int flag) {
        return null;
    }

    /** What is stored for an empty field, null if it is an error. */
    Object empty() {
        return null;
    }

    /** Write the text of what is stored, a Long or bytes. */
    public abstract void write(Object stored, Output out);
}
