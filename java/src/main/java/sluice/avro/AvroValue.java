package sluice.avro;

import java.io.IOException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.ResolvingDecoder;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.flink.FlinkTimes;
import sluice.scan.BadValue;
import sluice.values.TypeSpec;

/** Reads a value of one type from Avro. */
interface AvroValue extends Serializable {
    int DAY_MS = 86_400_000;
    int LARGEST_DECIMAL = 128; // bits

    Object read(Decoder in) throws IOException;

    /** The reader of a type; one that is nullable is a union of null and the type. */
    static AvroValue of(TypeSpec type) {
        AvroValue value = notNull(type);
        return type.nullable() ? nullable(value) : value;
    }

    /** A union of null and a value. */
    static AvroValue nullable(AvroValue value) {
        return in -> {
            int index = in.readIndex();
            if (index == 1) return value.read(in);
            if (index != 0) throw new BadValue("A union of two has no type " + index);
            in.readNull();
            return null;
        };
    }

    private static AvroValue notNull(TypeSpec type) {
        switch (type.kind()) {
            case "bool": return Decoder::readBoolean;
            case "whole":
                switch (type.bits()) {
                    case 8: return in -> (byte) within(in.readInt(), Byte.MIN_VALUE, Byte.MAX_VALUE);
                    case 16: return in -> (short) within(in.readInt(), Short.MIN_VALUE, Short.MAX_VALUE);
                    case 32: return Decoder::readInt;
                    default: return Decoder::readLong;
                }
            case "floating": return type.bits() == 32 ? Decoder::readFloat : Decoder::readDouble;
            case "exact": return decimal(type.precision(), type.scale());
            case "text": return AvroValue::text;
            case "bytes": return AvroValue::bytes;
            case "day": return Decoder::readInt;
            case "clock":
                int precision = type.precision();
                return in -> FlinkTimes.Clock.shown(timeOfDay(in.readInt()), precision);
            case "local":
            case "instant": return in -> micros(in.readLong());
            case "items": return array(of(type.inner("item")));
            case "pairs": return map(of(type.inner("value")));
            case "parts": return new Record(type.fields(), 0);
            default: throw type.unknown();
        }
    }

    private static int within(int number, int low, int high) {
        if (number >= low && number <= high) return number;
        throw new BadValue(number + " is not from " + low + " to " + high);
    }

    private static int timeOfDay(int millis) {
        if (millis >= 0 && millis < DAY_MS) return millis;
        throw new BadValue(millis + " milliseconds are no time of a day");
    }

    private static long micros(long millis) {
        long micros = millis * 1000;
        if (micros / 1000 == millis) return micros;
        throw new BadValue(millis + " milliseconds are too far from 1970");
    }

    private static UTF8String text(Decoder in) throws IOException {
        UTF8String text;
        if (in instanceof AvroBytes own) {
            text = own.text();
        } else {
            Utf8 found = in.readString(null);
            text = UTF8String.fromBytes(found.getBytes(), 0, found.getByteLength());
        }
        return text.isValid() ? text : text.makeValid();
    }

    private static byte[] bytes(Decoder in) throws IOException {
        ByteBuffer found = in.readBytes(null);
        byte[] bytes = new byte[found.remaining()];
        found.get(bytes);
        return bytes;
    }

    /** A decimal from its unscaled number; one with too many digits is NULL. */
    private static AvroValue decimal(int precision, int scale) {
        return in -> {
            byte[] digits = bytes(in);
            if (digits.length == 0) throw new BadValue("A decimal without any bytes");
            BigInteger number = new BigInteger(digits);
            if (number.bitLength() > LARGEST_DECIMAL) return null;
            BigDecimal found = new BigDecimal(number, scale);
            return found.precision() > precision ? null : Decimal.apply(found, precision, scale);
        };
    }

    private static AvroValue array(AvroValue item) {
        return in -> {
            List<Object> found = new ArrayList<>();
            for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
                for (long i = 0; i < count; i++) found.add(item.read(in));
            }
            return new GenericArrayData(found.toArray());
        };
    }

    /** A map; of two values of one key the later counts. */
    private static AvroValue map(AvroValue value) {
        return in -> {
            Map<UTF8String, Object> found = new LinkedHashMap<>();
            for (long count = in.readMapStart(); count > 0; count = in.mapNext()) {
                for (long i = 0; i < count; i++) {
                    UTF8String key = text(in);
                    found.put(key, value.read(in));
                }
            }
            return new ArrayBasedMapData(new GenericArrayData(found.keySet().toArray()),
                new GenericArrayData(found.values().toArray()));
        };
    }

    /** A record, with so many empty places before its values. */
    final class Record implements AvroValue {
        private final AvroValue[] fields;
        private final int before;

        Record(List<TypeSpec.Column> fields, int before) {
            this(fields.stream().map(field -> of(field.type())).toArray(AvroValue[]::new), before);
        }

        private Record(AvroValue[] fields, int before) {
            this.fields = fields;
            this.before = before;
        }

        /** The same record with another reader of one field. */
        Record with(int field, AvroValue value) {
            AvroValue[] others = fields.clone();
            others[field] = value;
            return new Record(others, before);
        }

        /** The value of one field, which comes next. */
        Object field(int field, Decoder in) throws IOException {
            return fields[field].read(in);
        }

        Object[] values(Decoder in) throws IOException {
            Object[] row = new Object[before + fields.length];
            if (in instanceof ResolvingDecoder resolving) { // in the order of the writer's schema
                for (Schema.Field field : resolving.readFieldOrder()) {
                    row[before + field.pos()] = fields[field.pos()].read(in);
                }
                return row;
            }
            for (int i = 0; i < fields.length; i++) row[before + i] = fields[i].read(in);
            return row;
        }

        @Override
        public Object read(Decoder in) throws IOException {
            return new GenericInternalRow(values(in));
        }
    }
}
