package sluice.protobuf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.Encoding;
import sluice.values.FloatText;
import sluice.values.NumberReaders;
import sluice.values.Output;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/** Makes what reads a field of one value into a column of one type. */
final class ScalarReaders {
    private static final int FIRST_DAY = -719_528, LAST_DAY = 2_932_896; // of the years 0 and 9999
    private static final BigDecimal MICROS = BigDecimal.valueOf(1_000_000);
    private static final BigInteger HIGHEST = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private final ValueReaders texts;

    /** {@code texts} are how values are read that a message has as text. */
    ScalarReaders(ValueReaders texts) {
        this.texts = texts;
    }

    /** A number as bits or as a floating-point number, to what Spark holds. */
    private interface Convert extends java.io.Serializable {
        Object of(BigDecimal number);
    }

    /** What a column has that no field is read into. */
    Object missing(TypeSpec type) {
        return texts.of(type).missing;
    }

    ScalarReader of(TypeSpec type, Proto.Field field, String column) {
        ValueReader text = texts.of(type);
        ScalarReader made = made(type, field, column, text);
        if (type.takesNull()) return made.otherwise(() -> null);
        return made.otherwise(() -> missing(type, field, made, zero(type)));
    }

    /** What a type has where nothing is given, though the column may be NULL. */
    private Object zero(TypeSpec type) {
        var plain = type.json().deepCopy();
        ((com.fasterxml.jackson.databind.node.ObjectNode) plain).put("nullable", false);
        return texts.of(new TypeSpec(plain)).missing;
    }

    /** What a field's default is as a column's value. */
    private Object missing(TypeSpec type, Proto.Field field, ScalarReader reader, Object zero) {
        if (type.kind().equals("uuid") || type.name().equals("IPv6") && field.given == null) return zero;
        FieldType of = field.type;
        boolean plain = type.kind().equals("text") || type.kind().equals("fixed");
        if (of.isText() && plain && field.given == null) return zero;
        return reader.value(new ProtoCursor(Defaults.onWire(field)));
    }

    private ScalarReader made(TypeSpec type, Proto.Field field, String column, ValueReader text) {
        switch (type.kind()) {
            case "text":
            case "fixed": return text(field, column, text);
            case "choice": return choice(type, field, column, text);
            case "whole": return field.type.isText() ? ofText(field, column, text) : whole(type, field, column);
            case "floating": return field.type.isText() ? ofText(field, column, text) : floating(type, field, column);
            case "bool":
                return field.type.isText() ? ofText(field, column, text)
                    : new IntValue(field, column, "UInt8", 0, 255, number -> number != 0);
            case "uuid": return ofText(field, column, text);
            case "encoded": if (type.name().equals("IPv6")) return new Address(field, column, type.name()); break;
            default:
        }
        if (field.type.isText()) return ofText(field, column, text);
        switch (type.kind()) {
            case "unsigned64": return new Whole64(field, column, type.name());
            case "day":
                boolean small = type.name().equals("Date");
                return new IntValue(field, column, type.name(), small ? 0 : FIRST_DAY, small ? 65_535 : LAST_DAY,
                    number -> (int) number);
            case "instant":
                if (type.precision() < 0) return new IntValue(field, column, type.name(), 0, (1L << 32) - 1, number -> number * 1_000_000);
                return number(field, column, type.name(), ScalarReaders::micros);
            case "exact": return number(field, column, type.name(), decimal(type.precision(), type.scale()));
            case "encoded": return encoded(type, field, column);
            default: throw type.unknown();
        }
    }

    private ScalarReader encoded(TypeSpec type, Proto.Field field, String column) {
        String name = type.name();
        if (name.equals("IPv4")) return new IntValue(field, column, name, 0, (1L << 32) - 1, number -> number);
        if (name.startsWith("DateTime64")) {
            int scale = new TypeSpec(type.json()).json().get("type").asText().charAt("DateTime64(".length()) - '0';
            return number(field, column, name, number -> inLong(number.movePointRight(scale).setScale(0, RoundingMode.DOWN)));
        }
        String stored = type.json().get("type").asText();
        int scale = name.startsWith("Decimal") ? Integer.parseInt(stored.replaceAll(".*, ?|\\)", "")) : 0;
        return number(field, column, name, number -> {
            byte[] digits = number.setScale(scale, RoundingMode.DOWN).toPlainString()
                .getBytes(StandardCharsets.US_ASCII);
            return Encoding.of(stored).number(digits, 0, digits.length);
        });
    }

    private static Object inLong(BigDecimal number) {
        return number.toBigInteger().bitLength() > 63 ? null : number.longValueExact();
    }

    private static Object micros(BigDecimal seconds) {
        return inLong(seconds.multiply(MICROS).setScale(0, RoundingMode.DOWN));
    }

    private static Convert decimal(int precision, int scale) {
        return number -> {
            BigDecimal cut = number.setScale(scale, RoundingMode.DOWN);
            return cut.precision() > precision ? null : Decimal.apply(cut, precision, scale);
        };
    }

    /** A number that is to become one of another kind; what has no place there is null. */
    private static ScalarReader number(Proto.Field field, String column, String name, Convert convert) {
        return new ScalarReader(field, column) {
            @Override
            Object value(ProtoCursor in) {
                BigDecimal number;
                if (type.isFloating()) {
                    double found = in.floating(type);
                    if (found - found != 0) throw cannot(String.valueOf(found), type.word(), name);
                    number = new BigDecimal(found);
                } else {
                    long found = in.whole(type);
                    if (type == FieldType.BOOL && found >>> 1 != 0) throw cannot(Long.toUnsignedString(found), "bool", name);
                    number = new BigDecimal(type.isUnsigned() ? unsigned(found) : BigInteger.valueOf(found));
                }
                Object made = convert.of(number);
                if (made == null) throw cannot(number.toPlainString(), type.word(), name);
                return made;
            }
        };
    }

    private static BigInteger unsigned(long bits) {
        return BigInteger.valueOf(bits).and(HIGHEST);
    }

    private static ScalarReader ofText(Proto.Field field, String column, ValueReader text) {
        return new ScalarReader(field, column) {
            @Override
            Object value(ProtoCursor in) {
                int end = in.bytesEnd();
                int from = in.at;
                in.at = end;
                try {
                    return text.text(in.bytes, from, end);
                } catch (BadValue bad) {
                    throw bad.at("field", field);
                }
            }
        };
    }

    private static ScalarReader text(Proto.Field field, String column, ValueReader text) {
        boolean plain = text instanceof sluice.values.TextReaders.Plain;
        if (field.type.isText()) return plain ? new Text(field, column) : ofText(field, column, text);
        Map<Long, UTF8String> names = new HashMap<>();
        if (field.type == FieldType.ENUM) {
            field.choices.numbers.forEach((name, number) -> names.putIfAbsent((long) number, UTF8String.fromString(name)));
        }
        return new ScalarReader(field, column) {
            @Override
            Object value(ProtoCursor in) {
                if (type == FieldType.ENUM) {
                    long number = in.whole(type);
                    UTF8String name = names.get((long) (int) number);
                    if (name == null) throw cannot(Long.toString(number), "enum", "String");
                    return plain ? name : text.text(name.getBytes(), 0, name.numBytes());
                }
                byte[] shown = shown(in);
                return text.text(shown, 0, shown.length);
            }

            private byte[] shown(ProtoCursor in) {
                Output out = new Output(24);
                if (type == FieldType.FLOAT) {
                    FloatText.write((float) in.floating(type), out);
                } else if (type == FieldType.DOUBLE) {
                    FloatText.write(in.floating(type), out);
                } else {
                    long number = in.whole(type);
                    if (type == FieldType.BOOL) out.put(number == 0 ? "false" : "true");
                    else if (type.isUnsigned()) out.put(Long.toUnsignedString(number));
                    else out.put(number);
                    if (type == FieldType.BOOL && number >>> 1 != 0) throw cannot(Long.toString(number), "bool", "String");
                }
                return out.message();
            }
        };
    }

    private static ScalarReader choice(TypeSpec spec, Proto.Field field, String column, ValueReader text) {
        if (field.type.isText()) return ofText(field, column, text);
        Map<Long, UTF8String> names = new HashMap<>();
        EnumNames choice = new EnumNames(spec);
        if (field.type == FieldType.ENUM) {
            choice.of(field.choices).forEach((number, name) -> names.put(number, UTF8String.fromString(name)));
        } else {
            choice.numbers.forEach((name, number) -> names.put((long) number, UTF8String.fromString(name)));
        }
        String called = spec.name();
        return new ScalarReader(field, column) {
            @Override
            Object value(ProtoCursor in) {
                long number = in.whole(type);
                UTF8String name = names.get(type == FieldType.ENUM ? (long) (int) number : (Long) number);
                if (name == null) throw cannot(Long.toString(number), type.word(), called);
                return name;
            }
        };
    }

    private static ScalarReader whole(TypeSpec type, Proto.Field field, String column) {
        int bits = type.bits();
        long low = type.json().get("low").asLong();
        long high = type.json().get("high").asLong();
        return new IntValue(field, column, type.name(), low, high, number -> NumberReaders.boxed(number, bits));
    }

    private static ScalarReader floating(TypeSpec spec, Proto.Field field, String column) {
        boolean small = spec.bits() == 32;
        String called = spec.name();
        return new ScalarReader(field, column) {
            @Override
            Object value(ProtoCursor in) {
                double number;
                if (type.isFloating()) {
                    number = in.floating(type);
                    if (small && type == FieldType.DOUBLE && Math.abs(number) > Float.MAX_VALUE) {
                        throw cannot(String.valueOf(number), type.word(), called);
                    }
                } else {
                    long bits = in.whole(type);
                    if (type == FieldType.BOOL && bits >>> 1 != 0) throw cannot(Long.toString(bits), "bool", called);
                    number = bits < 0 && type.isUnsigned() ? unsigned(bits).doubleValue() : bits;
                }
                return small ? (Object) (float) number : (Object) number;
            }
        };
    }

    /** Any string. */
    private static final class Text extends ScalarReader {
        Text(Proto.Field field, String column) {
            super(field, column);
        }

        @Override
        Object value(ProtoCursor in) {
            return in.text();
        }
    }

    /** A value that Spark holds, of an integer. */
    private interface OfLong extends java.io.Serializable {
        Object of(long number);
    }

    /** An integer within a range. */
    private static final class IntValue extends ScalarReader {
        private final String name;
        private final long low;
        private final long high;
        private final OfLong held;

        IntValue(Proto.Field field, String column, String name, long low, long high, OfLong held) {
            super(field, column);
            this.name = name;
            this.low = low;
            this.high = high;
            this.held = held;
        }

        @Override
        Object value(ProtoCursor in) {
            if (type.isFloating()) return cut(in.floating(type));
            long number = in.whole(type);
            boolean large = number < 0 && type.isUnsigned() || type == FieldType.BOOL && number > 1;
            if (number < low || number > high || large) {
                throw cannot(type.isUnsigned() ? Long.toUnsignedString(number) : Long.toString(number), type.word(), name);
            }
            return held.of(number);
        }

        private Object cut(double number) {
            boolean fits = number > low - 1.0 && number < high + 1.0 || number == low;
            if (!fits || number >= 0x1p63) throw cannot(String.valueOf(number), type.word(), name);
            return held.of((long) number);
        }
    }

    /** UInt64, which Spark holds as a DECIMAL(20, 0). */
    private static final class Whole64 extends ScalarReader {
        private final String name;

        Whole64(Proto.Field field, String column, String name) {
            super(field, column);
            this.name = name;
        }

        @Override
        Object value(ProtoCursor in) {
            if (type.isFloating()) {
                double number = in.floating(type);
                if (!(number > -1 && number < 0x1p64)) throw cannot(String.valueOf(number), type.word(), name);
                return Decimal.apply(new BigDecimal(new BigDecimal(number).toBigInteger()), 20, 0);
            }
            long number = in.whole(type);
            if (number < 0 && !type.isUnsigned() || type == FieldType.BOOL && number >>> 1 != 0) {
                throw cannot(Long.toString(number), type.word(), name);
            }
            return number >= 0 ? Decimal.createUnsafe(number, 20, 0) : Decimal.apply(new BigDecimal(unsigned(number)), 20, 0);
        }
    }

    /** The bytes of an IPv6 address. */
    private static final class Address extends ScalarReader {
        private final String name;

        Address(Proto.Field field, String column, String name) {
            super(field, column);
            this.name = name;
        }

        @Override
        Object value(ProtoCursor in) {
            byte[] found = in.text().getBytes();
            if (found.length == 16) return found;
            throw new BadValue("Could not convert bytes field " + field + " to IPv6 for inserting into column " + column
                + " - field size " + found.length + " is not equal to IPv6 size 16");
        }
    }
}
