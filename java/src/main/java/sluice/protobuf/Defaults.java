package sluice.protobuf;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import sluice.values.Output;

/** The default of a field as a message would have it. */
final class Defaults {
    private Defaults() {}

    /** The value alone, without the key of its field. */
    static byte[] onWire(Proto.Field field) {
        Output out = new Output();
        FieldType of = field.type;
        if (of.isText()) {
            byte[] given = field.given == null ? new byte[0] : field.given.getBytes(StandardCharsets.UTF_8);
            out.putVarint(given.length);
            out.put(given);
        } else if (of == FieldType.ENUM) {
            Map<String, Integer> numbers = field.choices.numbers;
            String first = field.given == null ? numbers.keySet().iterator().next() : field.given;
            WireOutput.varint(numbers.getOrDefault(first, 0), out);
        } else if (of == FieldType.BOOL) {
            out.put("true".equals(field.given) ? 1 : 0);
        } else {
            number(field.given == null ? "0" : field.given, of, out);
        }
        return out.message();
    }

    private static void number(String given, FieldType of, Output out) {
        if (of.isFloating()) {
            double number = switch (given) {
                case "inf" -> Double.POSITIVE_INFINITY;
                case "-inf" -> Double.NEGATIVE_INFINITY;
                case "nan" -> Double.NaN;
                default -> Double.parseDouble(given);
            };
            if (of == FieldType.FLOAT) out.putLowInt(Float.floatToRawIntBits((float) number));
            else out.putLowLong(Double.doubleToRawLongBits(number));
            return;
        }
        boolean hex = given.startsWith("0x") || given.startsWith("-0x");
        long number = hex ? new BigInteger(given.replace("0x", ""), 16).longValue() : new BigInteger(given).longValue();
        if (of.wire == ProtoCursor.VARINT) {
            boolean zigzag = of == FieldType.SINT32 || of == FieldType.SINT64;
            WireOutput.varint(zigzag ? number << 1 ^ number >> 63 : number, out);
        } else if (of.wire == ProtoCursor.FIXED32) {
            out.putLowInt((int) number);
        } else {
            out.putLowLong(number);
        }
    }
}
