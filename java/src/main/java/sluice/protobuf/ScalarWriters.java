package sluice.protobuf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Encoding;
import sluice.values.Output;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/** Makes what writes a column of one type as a field of one value. */
final class ScalarWriters {
    private static final BigDecimal MICROS = BigDecimal.valueOf(1_000_000);
    private static final BigInteger LONGS = BigInteger.ONE.shiftLeft(64);

    private final ValueWriters texts;

    /** {@code texts} are how values are written that a message has as text. */
    ScalarWriters(ValueWriters texts) {
        this.texts = texts;
    }

    ScalarWriter of(TypeSpec type, Proto.Field field, String column) {
        String kind = type.kind();
        if (type.name().equals("IPv6")) return text((row, at, out) -> out.put(row.getBinary(at)), field, column);
        boolean text = kind.equals("text") || kind.equals("fixed");
        if (text && !field.type.isText()) return parsed(type, field, column);
        if (text) return text((row, at, out) -> out.put(row.getUTF8String(at)), field, column);
        if (field.type.isText()) return text(texts.of(type), field, column);
        if (kind.equals("choice")) return choice(type, field, column);
        if (kind.equals("floating")) return ofFloating(type, field, column);
        if (kind.equals("whole") && !field.type.isFloating()) {
            int bits = type.bits();
            return whole(type, field, column, (row, at) -> switch (bits) {
                case 8 -> row.getByte(at);
                case 16 -> row.getShort(at);
                case 32 -> row.getInt(at);
                default -> row.getLong(at);
            });
        }
        if (!field.type.isFloating()) {
            if (kind.equals("day")) return whole(type, field, column, (row, at) -> row.getInt(at));
            if (kind.equals("instant")) return whole(type, field, column, (row, at) -> row.getLong(at) / 1_000_000);
            if (kind.equals("unsigned64")) return unsigned(type, field, column);
        }
        if (kind.equals("bool")) return whole(type, field, column, (row, at) -> row.getBoolean(at) ? 1 : 0);
        return number(type, field, column, numbers(type));
    }

    /** An integer that Spark holds. */
    private interface Longs extends java.io.Serializable {
        long of(SpecializedGetters row, int at);
    }

    /** A number that Spark holds. */
    private interface Numbers extends java.io.Serializable {
        BigDecimal of(SpecializedGetters row, int at);
    }

    private static Numbers numbers(TypeSpec type) {
        switch (type.kind()) {
            case "whole":
                int bits = type.bits();
                return (row, at) -> BigDecimal.valueOf(bits == 8 ? row.getByte(at) : bits == 16 ? row.getShort(at)
                    : bits == 32 ? row.getInt(at) : row.getLong(at));
            case "unsigned64": return (row, at) -> row.getDecimal(at, 20, 0).toJavaBigDecimal();
            case "exact":
                int precision = type.precision();
                int scale = type.scale();
                return (row, at) -> row.getDecimal(at, precision, scale).toJavaBigDecimal();
            case "day": return (row, at) -> BigDecimal.valueOf(row.getInt(at));
            case "instant": return (row, at) -> BigDecimal.valueOf(row.getLong(at)).divide(MICROS);
            case "encoded": return encoded(type);
            default: throw type.unknown();
        }
    }

    private static Numbers encoded(TypeSpec type) {
        String stored = type.json().get("type").asText();
        if (stored.equals("IPv4")) return (row, at) -> BigDecimal.valueOf(row.getLong(at));
        if (stored.startsWith("DateTime64")) {
            int scale = stored.charAt("DateTime64(".length()) - '0';
            return (row, at) -> BigDecimal.valueOf(row.getLong(at), scale);
        }
        return (row, at) -> {
            Output out = new Output(80);
            Encoding.of(stored).write(row.getBinary(at), out);
            return new BigDecimal(new String(out.bytes, 0, out.size, StandardCharsets.US_ASCII));
        };
    }

    private static ScalarWriter whole(TypeSpec spec, Proto.Field field, String column, Longs held) {
        String called = spec.name();
        if (field.type.isFloating()) return number(spec, field, column, (row, at) -> BigDecimal.valueOf(held.of(row, at)));
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                long number = held.of(row, at);
                if (!fits(number, field)) throw cannot(number, called);
                whole(number, out, bare);
            }
        };
    }

    /** UInt64, whose highest bit is not a sign. */
    private static ScalarWriter unsigned(TypeSpec spec, Proto.Field field, String column) {
        String called = spec.name();
        boolean all = field.type == FieldType.UINT64 || field.type == FieldType.UINT32 || field.type == FieldType.FIXED64;
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                long bits = row.getDecimal(at, 20, 0).toLong(); // its lowest 64 bits
                if (!all && (bits < 0 || !fits(bits, field))) throw cannot(Long.toUnsignedString(bits), called);
                whole(bits, out, bare);
            }
        };
    }

    /** Whether a field takes an integer, as ClickHouse checks it. */
    private static boolean fits(long number, Proto.Field field) {
        switch (field.type) {
            case INT32: case INT64: case SINT32: case SINT64: case SFIXED64: return true;
            case SFIXED32: return number == (int) number;
            case FIXED32: return number >>> 32 == 0;
            case BOOL: return number >>> 1 == 0;
            case ENUM: return field.choices.nameOf(number) != null;
            default: return number >= 0;
        }
    }

    /** Any number; what an integer has no place for is cut off. */
    private static ScalarWriter number(TypeSpec spec, Proto.Field field, String column, Numbers held) {
        String called = spec.name();
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                BigDecimal number = held.of(row, at);
                if (type.isFloating()) {
                    floating(type == FieldType.FLOAT ? number.floatValue() : number.doubleValue(), out, bare);
                    return;
                }
                if (type == FieldType.BOOL && number.stripTrailingZeros().scale() > 0) throw cannot(number, called);
                BigInteger cut = number.setScale(0, RoundingMode.DOWN).toBigInteger();
                boolean unsigned = type == FieldType.UINT64 || type == FieldType.UINT32 || type == FieldType.FIXED64;
                boolean taken = unsigned ? cut.signum() >= 0 && cut.compareTo(LONGS) < 0
                    : cut.bitLength() < 64 && fits(cut.longValue(), field);
                if (!taken) throw cannot(number.toPlainString(), called);
                whole(cut.longValue(), out, bare);
            }
        };
    }

    private static ScalarWriter ofFloating(TypeSpec spec, Proto.Field field, String column) {
        boolean small = spec.bits() == 32;
        String called = spec.name();
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                double number = small ? row.getFloat(at) : row.getDouble(at);
                if (type.isFloating()) {
                    if (!small && type == FieldType.FLOAT && Math.abs(number) > Float.MAX_VALUE) throw cannot(number, called);
                    floating(number, out, bare);
                    return;
                }
                boolean fits = number > -0x1p63 && number < 0x1p63 && (type != FieldType.BOOL || number == 0 || number == 1);
                if (!fits || !ScalarWriters.fits((long) number, field)) throw cannot(number, called);
                whole((long) number, out, bare);
            }
        };
    }

    /** What a writer says of a value, as text or as bytes. */
    private static ScalarWriter text(ValueWriter value, Proto.Field field, String column) {
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                int first = out.size;
                value.plain(row, at, out);
                text(first, out);
            }
        };
    }

    /** A text as the number that it says, or as the number of an enum's name. */
    private static ScalarWriter parsed(TypeSpec spec, Proto.Field field, String column) {
        String called = spec.name();
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                String text = row.getUTF8String(at).toString();
                if (type == FieldType.ENUM || type == FieldType.BOOL) {
                    Integer number = type == FieldType.ENUM ? field.choices.numbers.get(text.replace("\0", ""))
                        : text.equals("true") ? Integer.valueOf(1) : text.equals("false") ? 0 : null;
                    if (number == null) throw cannot(text, called);
                    whole(number, out, bare);
                    return;
                }
                try {
                    if (type.isFloating()) {
                        floating(Double.parseDouble(text), out, bare);
                    } else {
                        BigInteger number = new BigInteger(text);
                        boolean unsigned = type == FieldType.UINT64 || type == FieldType.FIXED64;
                        boolean taken = unsigned ? number.signum() >= 0 && number.compareTo(LONGS) < 0
                            : number.bitLength() < 64 && fits(number.longValue(), field);
                        if (!taken) throw cannot(text, called);
                        whole(number.longValue(), out, bare);
                    }
                } catch (NumberFormatException none) {
                    throw cannot(text, called);
                }
            }
        };
    }

    private static ScalarWriter choice(TypeSpec spec, Proto.Field field, String column) {
        Map<UTF8String, Integer> numbers = new HashMap<>();
        EnumNames choice = new EnumNames(spec);
        (field.type == FieldType.ENUM ? choice.among(field.choices) : choice.numbers)
            .forEach((name, number) -> numbers.put(UTF8String.fromString(name), number));
        String called = spec.name();
        return new ScalarWriter(field, column) {
            @Override
            void value(SpecializedGetters row, int at, Output out, boolean bare) {
                UTF8String name = row.getUTF8String(at);
                Integer number = numbers.get(name);
                if (number == null || !fits(number, field)) throw cannot(name, called);
                whole(number, out, bare);
            }
        };
    }
}
