package sluice.avro;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.avro.Schema;
import org.apache.spark.sql.types.Decimal;
import sluice.scan.BadValue;
import sluice.values.NumberReaders;
import sluice.values.TypeSpec;

/** What reads Avro's numbers, days and instants as values of ClickHouse's types; a number out of range is wrong. */
final class ColumnNumbers {
    static final int TICKS = 18; // digits of an instant's number in ClickHouse
    static final long[] TENS = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000};
    private static final long UINT32 = 0xFFFF_FFFFL, DAY = 86_400, MICROS = 1_000_000;
    private static final int LAST_DATE = 65_535, FIRST_DATE32 = -25_567, LAST_DATE32 = 120_529;

    private ColumnNumbers() {}

    private interface IntValue {
        long read(AvroBytes in);
    }

    private interface Floating {
        double read(AvroBytes in);
    }

    /** What a number counts, if its schema says so: so many in a second, or days. */
    private enum Unit {
        PLAIN(0), DAYS(0), MILLIS(1_000), MICROS(1_000_000), NANOS(1_000_000_000);

        final long second;

        Unit(long second) {
            this.second = second;
        }

        static Unit of(Schema schema) {
            String name = schema.getLogicalType() == null ? "" : schema.getLogicalType().getName();
            switch (name) {
                case "date": return DAYS;
                case "timestamp-millis":
                case "local-timestamp-millis": return MILLIS;
                case "timestamp-micros":
                case "local-timestamp-micros": return MICROS;
                case "timestamp-nanos":
                case "local-timestamp-nanos": return NANOS;
                default: return PLAIN;
            }
        }

        /** A number of these as fractions of a second, so many in one; fractions that are too small are cut off. */
        long in(long number, long second) {
            if (this == DAYS) return Math.multiplyExact(number, DAY * second);
            if (second >= this.second) return Math.multiplyExact(number, second / this.second);
            return Math.floorDiv(number, this.second / second);
        }
    }

    static ColumnValue of(Schema schema, TypeSpec type) {
        switch (schema.getType()) {
            case INT: return whole(AvroBytes::readInt, true, Unit.of(schema), type);
            case LONG: return whole(AvroBytes::readLong, false, Unit.of(schema), type);
            case BOOLEAN: return whole(in -> in.readBoolean() ? 1 : 0, false, Unit.PLAIN, type);
            case FLOAT: return floating(AvroBytes::readFloat, type);
            default: return floating(AvroBytes::readDouble, type);
        }
    }

    private static BadValue wrong(Object number, TypeSpec type) {
        return new BadValue("Cannot convert Avro value " + number + " to " + type.name());
    }

    private static long within(long number, long low, long high, TypeSpec type) {
        if (number < low || number > high) throw wrong(number, type);
        return number;
    }

    private static ColumnValue whole(IntValue number, boolean small, Unit unit, TypeSpec type) {
        switch (type.kind()) {
            case "whole":
                int bits = type.bits();
                long low = type.json().get("low").asLong(), high = type.json().get("high").asLong();
                if (small && low == 0 && high == UINT32) return in -> number.read(in) & UINT32; // as ClickHouse writes it
                if (bits == 64) return in -> within(number.read(in), low, high, type);
                return in -> NumberReaders.boxed(within(number.read(in), low, high, type), bits);
            case "unsigned64":
                return in -> {
                    long found = number.read(in);
                    if (found < 0 && small) throw wrong(found, type);
                    return found < 0 ? unsigned(found) : Decimal.createUnsafe(found, 20, 0);
                };
            case "floating":
                if (type.bits() == 32) return in -> (float) number.read(in);
                return in -> (double) number.read(in);
            case "exact":
                int precision = type.precision(), scale = type.scale();
                if (precision > TICKS) return null;
                long limit = BigInteger.TEN.pow(precision).longValue() - 1;
                return in -> Decimal.createUnsafe(within(number.read(in), -limit, limit, type), precision, scale);
            case "bool": return in -> number.read(in) != 0;
            case "day": return day(number, unit, type);
            case "instant": return instant(number, small, unit, type.precision(), type);
            case "encoded": return encoded(number, small, unit, type);
            default: return null;
        }
    }

    /** A long that stands for a number of 64 bits without a sign, as ClickHouse writes it. */
    private static Decimal unsigned(long bits) {
        return Decimal.apply(new BigDecimal(new BigInteger(Long.toUnsignedString(bits))), 20, 0);
    }

    private static ColumnValue day(IntValue number, Unit unit, TypeSpec type) {
        boolean wide = type.name().equals("Date32");
        int low = wide ? FIRST_DATE32 : 0, high = wide ? LAST_DATE32 : LAST_DATE;
        if (unit == Unit.PLAIN || unit == Unit.DAYS) return in -> (int) within(number.read(in), low, high, type);
        return in -> (int) within(Math.floorDiv(number.read(in), unit.second * DAY), low, high, type);
    }

    /** Microseconds; of a type with a precision of -1 a number is one of seconds. */
    private static ColumnValue instant(IntValue number, boolean small, Unit unit, int precision, TypeSpec type) {
        boolean seconds = precision < 0;
        long second = seconds ? 1 : TENS[precision]; // fractions in one
        long factor = MICROS / second;
        return in -> {
            long found = number.read(in);
            try {
                if (unit != Unit.PLAIN) found = unit.in(found, second);
                else if (seconds && small) found &= UINT32; // as ClickHouse writes it
                if (seconds) within(found, 0, UINT32, type);
                return Math.multiplyExact(found, factor);
            } catch (ArithmeticException far) {
                throw wrong(found, type);
            }
        };
    }

    private static ColumnValue encoded(IntValue number, boolean small, Unit unit, TypeSpec type) {
        StoredType stored = StoredType.of(type);
        switch (stored.sort()) {
            case IPV4:
                if (small) return in -> number.read(in) & UINT32;
                return in -> within(number.read(in), 0, UINT32, type);
            case INSTANT:
                long second = TENS[stored.scale()];
                return in -> {
                    long found = number.read(in);
                    try {
                        return unit == Unit.PLAIN ? found : unit.in(found, second);
                    } catch (ArithmeticException far) {
                        throw wrong(found, type);
                    }
                };
            default: return null;
        }
    }

    private static ColumnValue floating(Floating number, TypeSpec type) {
        switch (type.kind()) {
            case "floating":
                if (type.bits() == 32) return in -> (float) number.read(in);
                return in -> number.read(in);
            case "bool": return in -> number.read(in) != 0;
            case "whole":
                int bits = type.bits();
                long low = type.json().get("low").asLong(), high = type.json().get("high").asLong();
                return in -> NumberReaders.boxed(whole(number.read(in), low, high, type).longValueExact(), bits);
            case "unsigned64":
                return in -> Decimal.apply(whole(number.read(in), 0, -1, type), 20, 0);
            default: return null;
        }
    }

    /** Without its fraction, from low to high, which is -1 for 2^64 - 1. */
    private static BigDecimal whole(double number, long low, long high, TypeSpec type) {
        if (Double.isNaN(number) || Double.isInfinite(number)) throw wrong(number, type);
        BigDecimal found = new BigDecimal(new BigDecimal(number).toBigInteger());
        BigDecimal most = high < 0 ? new BigDecimal(BigInteger.ONE.shiftLeft(64)) : BigDecimal.valueOf(high).add(BigDecimal.ONE);
        if (found.compareTo(BigDecimal.valueOf(low)) < 0 || found.compareTo(most) >= 0) throw wrong(number, type);
        return found;
    }
}
