package sluice.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.time.LocalTime;
import java.util.List;
import org.apache.avro.io.Encoder;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import sluice.values.TypeSpec;

/** Writes a value of one type as Avro. */
interface AvroWriter extends Serializable {
    void write(SpecializedGetters row, int at, Encoder out) throws IOException;

    /** The writer of a type; one that is nullable is a union of null and the type. */
    static AvroWriter of(TypeSpec type) {
        AvroWriter value = notNull(type);
        boolean nullable = type.nullable();
        return (row, at, out) -> {
            boolean none = row.isNullAt(at);
            if (nullable) out.writeIndex(none ? 0 : 1);
            else if (none) throw new IllegalArgumentException("NULL where the type is NOT NULL");
            if (none) out.writeNull();
            else value.write(row, at, out);
        };
    }

    private static AvroWriter notNull(TypeSpec type) {
        switch (type.kind()) {
            case "bool": return (row, at, out) -> out.writeBoolean(row.getBoolean(at));
            case "whole":
                switch (type.bits()) {
                    case 8: return (row, at, out) -> out.writeInt(row.getByte(at));
                    case 16: return (row, at, out) -> out.writeInt(row.getShort(at));
                    case 32: return (row, at, out) -> out.writeInt(row.getInt(at));
                    default: return (row, at, out) -> out.writeLong(row.getLong(at));
                }
            case "floating":
                return type.bits() == 32 ? (row, at, out) -> out.writeFloat(row.getFloat(at))
                    : (row, at, out) -> out.writeDouble(row.getDouble(at));
            case "exact":
                int precision = type.precision();
                int scale = type.scale();
                return (row, at, out) -> {
                    var number = row.getDecimal(at, precision, scale).toJavaBigDecimal().setScale(scale);
                    out.writeBytes(number.unscaledValue().toByteArray());
                };
            case "text": return (row, at, out) -> out.writeString(new Utf8(row.getUTF8String(at).getBytes()));
            case "bytes": return (row, at, out) -> out.writeBytes(row.getBinary(at));
            case "day": return (row, at, out) -> out.writeInt(row.getInt(at));
            case "clock": return (row, at, out) -> out.writeInt(millis(row.getUTF8String(at).toString()));
            case "local":
            case "instant": return (row, at, out) -> out.writeLong(Math.floorDiv(row.getLong(at), 1000L));
            case "items": return array(of(type.inner("item")));
            case "pairs": return map(of(type.inner("value")));
            case "parts": return new Record(type.fields());
            default: throw type.unknown();
        }
    }

    /** The milliseconds since midnight of a time of day. */
    private static int millis(String time) {
        return (int) (LocalTime.parse(time).toNanoOfDay() / 1_000_000);
    }

    private static AvroWriter array(AvroWriter item) {
        return (row, at, out) -> {
            ArrayData items = row.getArray(at);
            out.writeArrayStart();
            out.setItemCount(items.numElements());
            for (int i = 0; i < items.numElements(); i++) {
                out.startItem();
                item.write(items, i, out);
            }
            out.writeArrayEnd();
        };
    }

    private static AvroWriter map(AvroWriter value) {
        return (row, at, out) -> {
            MapData map = row.getMap(at);
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            out.writeMapStart();
            out.setItemCount(map.numElements());
            for (int i = 0; i < map.numElements(); i++) {
                out.startItem();
                out.writeString(new Utf8(keys.getUTF8String(i).getBytes()));
                value.write(values, i, out);
            }
            out.writeMapEnd();
        };
    }

    /** A record. */
    final class Record implements AvroWriter {
        /** How Avro's encoder for an output is made. */
        interface Encoding {
            Encoder over(ByteArrayOutputStream out) throws IOException;
        }

        private final AvroWriter[] fields;
        private final String[] names;

        Record(List<TypeSpec.Column> fields) {
            this.fields = fields.stream().map(field -> of(field.type())).toArray(AvroWriter[]::new);
            this.names = fields.stream().map(TypeSpec.Column::name).toArray(String[]::new);
        }

        /** A message: the bytes before the record, and the record. */
        byte[] message(byte[] before, InternalRow row, Encoding encoding) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(128);
            out.writeBytes(before);
            try {
                Encoder encoder = encoding.over(out);
                values(row, encoder);
                encoder.flush();
            } catch (IOException never) {
                throw new IllegalStateException(never);
            }
            return out.toByteArray();
        }

        private void values(InternalRow row, Encoder out) throws IOException {
            for (int i = 0; i < fields.length; i++) {
                try {
                    fields[i].write(row, i, out);
                } catch (RuntimeException bad) {
                    throw new IllegalArgumentException(
                        "Fail to serialize at field: " + names[i] + ". " + bad.getMessage(), bad);
                }
            }
        }

        @Override
        public void write(SpecializedGetters row, int at, Encoder out) throws IOException {
            values(row.getStruct(at, fields.length), out);
        }
    }
}
