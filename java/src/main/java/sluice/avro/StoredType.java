package sluice.avro;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.values.TypeSpec;

/** A type that Spark lacks: what its values are, and how many bytes they have in ClickHouse. */
record StoredType(Sort sort, int length, boolean signed, int precision, int scale) {
    private static final Pattern PARAMETERS = Pattern.compile("\\((\\d+)(?:, ?(\\d+))?");

    enum Sort { WHOLE, DECIMAL, INSTANT, IPV4, ADDRESS, TIME }

    /** How many bytes a decimal of so many digits has. */
    static int width(int precision) {
        return precision <= 9 ? 4 : precision <= 18 ? 8 : precision <= 38 ? 16 : 32;
    }

    static StoredType of(TypeSpec type) {
        String name = type.json().get("type").asText();
        int first = 0, second = 0;
        Matcher numbers = PARAMETERS.matcher(name);
        if (numbers.find()) {
            first = Integer.parseInt(numbers.group(1));
            second = numbers.group(2) == null ? 0 : Integer.parseInt(numbers.group(2));
        }
        if (name.equals("IPv4")) return new StoredType(Sort.IPV4, 4, false, 0, 0);
        if (name.equals("IPv6")) return new StoredType(Sort.ADDRESS, 16, false, 0, 0);
        if (name.startsWith("DateTime64")) return new StoredType(Sort.INSTANT, 8, true, ColumnNumbers.TICKS, first);
        if (name.startsWith("Decimal")) return new StoredType(Sort.DECIMAL, width(first), true, first, second);
        if (name.startsWith("Time")) return new StoredType(Sort.TIME, 0, true, 0, 0);
        return new StoredType(Sort.WHOLE, Integer.parseInt(name.replaceAll("\\D", "")) / 8, !name.startsWith("U"), 0, 0);
    }
}
