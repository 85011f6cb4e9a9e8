package sluice.avro;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.flink.FlinkTimes;
import sluice.scan.BadValue;

/** How a value of one type is read from Avro. */
abstract class AvroValue implements Serializable {
    private static final long DAY = 86_400_000L;
    private static final int LARGEST_DECIMAL = 128; // bits

    abstract Object read(Decoder in) throws IOException;

    /** For a described type. */
    static AvroValue of(JsonNode type) {
        AvroValue made = made(type);
        return type.path("nullable").asBoolean() ? new OrNull(made) : made;
    }

    private static AvroValue made(JsonNode type) {
        switch (type.get("kind").asText()) {
            case "items": return new Items(of(type.get("item")));
            case "pairs": return new Pairs(of(type.get("value")));
            case "parts":
                List<AvroValue> parts = new ArrayList<>();
                type.get("items").forEach(part -> parts.add(of(part)));
                return new Parts(parts, 0);
            case "exact":
                return new Exact(type.get("precision").asInt(), type.get("scale").asInt());
            case "clock": return new Clock(type.get("precision").asInt());
            case "whole": return new Scalar("whole" + type.get("bits").asInt());
            case "floating": return new Scalar("floating" + type.get("bits").asInt());
            default: return new Scalar(type.get("kind").asText());
        }
    }

    static UTF8String text(Decoder in) throws IOException {
        if (!(in instanceof AvroBytes)) return UTF8String.fromString(in.readString());
        UTF8String text = ((AvroBytes) in).text();
        return text.isValid() ? text : text.makeValid();
    }

    private static byte[] bytes(Decoder in) throws IOException {
        ByteBuffer found = in.readBytes(null);
        byte[] bytes = new byte[found.remaining()];
        found.get(bytes);
        return bytes;
    }

    /** One of a union of null and a type. */
    private static final class OrNull extends AvroValue {
        private final AvroValue value;

        OrNull(AvroValue value) {
            this.value = value;
        }

        @Override
        Object read(Decoder in) throws IOException {
            int index = in.readIndex();
            if (index == 1) return value.read(in);
            if (index != 0) throw new BadValue("A union of two has no type " + index);
            in.readNull();
            return null;
        }
    }

    /** A value without values inside. */
    private static final class Scalar extends AvroValue {
        private final String kind;

        Scalar(String kind) {
            this.kind = kind;
        }

        @Override
        Object read(Decoder in) throws IOException {
            switch (kind) {
                case "bool": return in.readBoolean();
                case "whole8": return (byte) within(in.readInt(), Byte.MIN_VALUE, Byte.MAX_VALUE);
                case "whole16": return (short) within(in.readInt(), Short.MIN_VALUE, Short.MAX_VALUE);
                case "whole32":
                case "day": return in.readInt();
                case "whole64": return in.readLong();
                case "floating32": return in.readFloat();
                case "floating64": return in.readDouble();
                case "text": return text(in);
                case "bytes": return bytes(in);
                case "local":
                case "instant": return micros(in.readLong());
                default: throw new IllegalArgumentException("unknown kind of type: " + kind);
            }
        }

        private static int within(int number, int low, int high) {
            if (number >= low && number <= high) return number;
            throw new BadValue(number + " is not from " + low + " to " + high);
        }

        private static long micros(long millis) {
            long micros = millis * 1000;
            if (micros / 1000 == millis) return micros;
            throw new BadValue(millis + " milliseconds are too far from 1970");
        }
    }

    /** An exact number as its digits; one that is too large is NULL. */
    private static final class Exact extends AvroValue {
        private final int precision;
        private final int scale;

        Exact(int precision, int scale) {
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        Object read(Decoder in) throws IOException {
            byte[] digits = bytes(in);
            if (digits.length == 0) throw new BadValue("A decimal without any bytes");
            BigInteger number = new BigInteger(digits);
            if (number.bitLength() > LARGEST_DECIMAL) return null;
            BigDecimal found = new BigDecimal(number, scale);
            return found.precision() > precision ? null : Decimal.apply(found, precision, scale);
        }
    }

    /** A time of day in milliseconds. */
    private static final class Clock extends AvroValue {
        private final int precision;

        Clock(int precision) {
            this.precision = precision;
        }

        @Override
        Object read(Decoder in) throws IOException {
            int millis = in.readInt();
            if (millis < 0 || millis >= DAY) {
                throw new BadValue(millis + " milliseconds are no time of a day");
            }
            return FlinkTimes.Clock.shown(millis, precision);
        }
    }

    private static final class Items extends AvroValue {
        private final AvroValue item;

        Items(AvroValue item) {
            this.item = item;
        }

        @Override
        Object read(Decoder in) throws IOException {
            List<Object> found = new ArrayList<>();
            for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
                for (long i = 0; i < count; i++) found.add(item.read(in));
            }
            return new GenericArrayData(found.toArray());
        }
    }

    /** A map; of two values of one key the later counts. */
    private static final class Pairs extends AvroValue {
        private final AvroValue value;

        Pairs(AvroValue value) {
            this.value = value;
        }

        @Override
        Object read(Decoder in) throws IOException {
            Map<UTF8String, Object> found = new LinkedHashMap<>();
            for (long count = in.readMapStart(); count > 0; count = in.mapNext()) {
                for (long i = 0; i < count; i++) {
                    UTF8String key = text(in);
                    found.put(key, value.read(in));
                }
            }
            return new ArrayBasedMapData(new GenericArrayData(found.keySet().toArray()),
                new GenericArrayData(found.values().toArray()));
        }
    }

    /** A record, with so many empty places before its values. */
    static final class Parts extends AvroValue {
        private final AvroValue[] parts;
        private final int before;

        Parts(List<AvroValue> parts, int before) {
            this.parts = parts.toArray(new AvroValue[0]);
            this.before = before;
        }

        Object[] values(Decoder in) throws IOException {
            Object[] row = new Object[before + parts.length];
            if (in instanceof ResolvingDecoder) { // as the writer has ordered them
                for (Schema.Field field : ((ResolvingDecoder) in).readFieldOrder()) {
                    row[before + field.pos()] = parts[field.pos()].read(in);
                }
                return row;
            }
            for (int i = 0; i < parts.length; i++) row[before + i] = parts[i].read(in);
            return row;
        }

        @Override
        Object read(Decoder in) throws IOException {
            return new GenericInternalRow(values(in));
        }
    }
}
