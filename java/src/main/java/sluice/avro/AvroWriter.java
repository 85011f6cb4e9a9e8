package sluice.avro;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.Serializable;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.io.Encoder;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.flink.FlinkValues;

/** How a value of one type is written as Avro. */
abstract class AvroWriter implements Serializable {
    private boolean nullable;

    /** Write a value that is not NULL. */
    abstract void write(SpecializedGetters row, int at, Encoder out) throws IOException;

    final void orNull(SpecializedGetters row, int at, Encoder out) throws IOException {
        boolean none = row.isNullAt(at);
        if (nullable) out.writeIndex(none ? 0 : 1);
        else if (none) throw new IllegalArgumentException("NULL where the type is NOT NULL");
        if (none) out.writeNull();
        else write(row, at, out);
    }

    static Parts record(JsonNode columns) {
        List<AvroWriter> parts = new ArrayList<>();
        List<String> names = new ArrayList<>();
        columns.forEach(column -> {
            names.add(column.get("column").asText());
            parts.add(of(column.get("type")));
        });
        return new Parts(parts, names);
    }

    private static AvroWriter of(JsonNode type) {
        AvroWriter made = made(type);
        made.nullable = type.path("nullable").asBoolean();
        return made;
    }

    private static AvroWriter made(JsonNode type) {
        switch (type.get("kind").asText()) {
            case "items": return new Items(of(type.get("item")));
            case "pairs": return new Pairs(of(type.get("value")));
            case "parts":
                List<AvroWriter> parts = new ArrayList<>();
                type.get("items").forEach(part -> parts.add(of(part)));
                return new Parts(parts, FlinkValues.names(type));
            case "exact":
                return new Exact(type.get("precision").asInt(), type.get("scale").asInt());
            case "whole": return new Scalar("whole" + type.get("bits").asInt());
            case "floating": return new Scalar("floating" + type.get("bits").asInt());
            default: return new Scalar(type.get("kind").asText());
        }
    }

    /** A value without values inside. */
    private static final class Scalar extends AvroWriter {
        private final String kind;

        Scalar(String kind) {
            this.kind = kind;
        }

        @Override
        void write(SpecializedGetters row, int at, Encoder out) throws IOException {
            switch (kind) {
                case "bool": out.writeBoolean(row.getBoolean(at)); break;
                case "whole8": out.writeInt(row.getByte(at)); break;
                case "whole16": out.writeInt(row.getShort(at)); break;
                case "whole32":
                case "day": out.writeInt(row.getInt(at)); break;
                case "whole64": out.writeLong(row.getLong(at)); break;
                case "floating32": out.writeFloat(row.getFloat(at)); break;
                case "floating64": out.writeDouble(row.getDouble(at)); break;
                case "text": out.writeString(new Utf8(row.getUTF8String(at).getBytes())); break;
                case "bytes": out.writeBytes(row.getBinary(at)); break;
                case "clock": out.writeInt(millis(row.getUTF8String(at).toString())); break;
                case "local":
                case "instant": out.writeLong(Math.floorDiv(row.getLong(at), 1000L)); break;
                default: throw new IllegalArgumentException("unknown kind of type: " + kind);
            }
        }
    }

    /** The milliseconds of a day that a time of day is. */
    private static int millis(String clock) {
        return (int) (LocalTime.parse(clock).toNanoOfDay() / 1_000_000);
    }

    /** An exact number as its digits. */
    private static final class Exact extends AvroWriter {
        private final int precision;
        private final int scale;

        Exact(int precision, int scale) {
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        void write(SpecializedGetters row, int at, Encoder out) throws IOException {
            var number = row.getDecimal(at, precision, scale).toJavaBigDecimal().setScale(scale);
            out.writeBytes(number.unscaledValue().toByteArray());
        }
    }

    private static final class Items extends AvroWriter {
        private final AvroWriter item;

        Items(AvroWriter item) {
            this.item = item;
        }

        @Override
        void write(SpecializedGetters row, int at, Encoder out) throws IOException {
            ArrayData items = row.getArray(at);
            out.writeArrayStart();
            out.setItemCount(items.numElements());
            for (int i = 0; i < items.numElements(); i++) {
                out.startItem();
                item.orNull(items, i, out);
            }
            out.writeArrayEnd();
        }
    }

    private static final class Pairs extends AvroWriter {
        private final AvroWriter value;

        Pairs(AvroWriter value) {
            this.value = value;
        }

        @Override
        void write(SpecializedGetters row, int at, Encoder out) throws IOException {
            MapData pairs = row.getMap(at);
            ArrayData keys = pairs.keyArray();
            ArrayData values = pairs.valueArray();
            out.writeMapStart();
            out.setItemCount(pairs.numElements());
            for (int i = 0; i < pairs.numElements(); i++) {
                out.startItem();
                out.writeString(new Utf8(keys.getUTF8String(i).getBytes()));
                value.orNull(values, i, out);
            }
            out.writeMapEnd();
        }
    }

    /** A record. */
    static final class Parts extends AvroWriter {
        private final AvroWriter[] parts;
        private final String[] names;

        Parts(List<AvroWriter> parts, List<String> names) {
            this.parts = parts.toArray(new AvroWriter[0]);
            this.names = names.toArray(new String[0]);
        }

        void values(InternalRow row, Encoder out) throws IOException {
            for (int i = 0; i < parts.length; i++) {
                try {
                    parts[i].orNull(row, i, out);
                } catch (RuntimeException bad) {
                    throw new IllegalArgumentException(
                        "Fail to serialize at field: " + names[i] + ". " + bad.getMessage(), bad);
                }
            }
        }

        @Override
        void write(SpecializedGetters row, int at, Encoder out) throws IOException {
            values(row.getStruct(at, parts.length), out);
        }
    }
}
