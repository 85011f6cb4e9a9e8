package sluice.avro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.ResolvingDecoder;
import sluice.scan.BadValue;

/** Writes fields of Avro records as JSON, as Kafka Connect does: bytes as Base64, a union as the value it holds. */
final class AvroJson {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int DEEPEST = 100; // a schema may contain itself

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private JsonGenerator out; // null before the first field

    /** Read a field, and add it to the object unless it is null. */
    void field(String name, Schema schema, Decoder in) throws IOException {
        Schema held = held(schema, in);
        if (held.getType() == Schema.Type.NULL) {
            in.readNull();
            return;
        }
        if (out == null) {
            out = JSON.createGenerator(bytes);
            out.writeStartObject();
        }
        out.writeFieldName(name);
        write(held, in, 1);
    }

    /** The object; null if it has no fields. */
    byte[] object() throws IOException {
        if (out == null) return null;
        out.writeEndObject();
        out.close();
        return bytes.toByteArray();
    }

    private void write(Schema schema, Decoder in, int depth) throws IOException {
        if (depth > DEEPEST) throw new BadValue("A value is nested more than " + DEEPEST + " times");
        switch (schema.getType()) {
            case NULL:
                in.readNull();
                out.writeNull();
                break;
            case BOOLEAN: out.writeBoolean(in.readBoolean()); break;
            case INT: out.writeNumber(in.readInt()); break;
            case LONG: out.writeNumber(in.readLong()); break;
            case FLOAT: out.writeNumber(in.readFloat()); break;
            case DOUBLE: out.writeNumber(in.readDouble()); break;
            case STRING: out.writeString(in.readString()); break;
            case ENUM: out.writeString(one(schema.getEnumSymbols(), in.readEnum())); break;
            case BYTES: out.writeBinary(in.readBytes(null).array()); break;
            case FIXED:
                byte[] fixed = new byte[schema.getFixedSize()];
                in.readFixed(fixed);
                out.writeBinary(fixed);
                break;
            case UNION: write(held(schema, in), in, depth + 1); break;
            case ARRAY: array(schema.getElementType(), in, depth + 1); break;
            case MAP: map(schema.getValueType(), in, depth + 1); break;
            default: record(schema, in, depth + 1);
        }
    }

    private void array(Schema item, Decoder in, int depth) throws IOException {
        out.writeStartArray();
        for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
            for (long i = 0; i < count; i++) write(item, in, depth);
        }
        out.writeEndArray();
    }

    private void map(Schema value, Decoder in, int depth) throws IOException {
        out.writeStartObject();
        for (long count = in.readMapStart(); count > 0; count = in.mapNext()) {
            for (long i = 0; i < count; i++) {
                out.writeFieldName(in.readString());
                write(value, in, depth);
            }
        }
        out.writeEndObject();
    }

    private void record(Schema schema, Decoder in, int depth) throws IOException {
        out.writeStartObject();
        for (Schema.Field field : ((ResolvingDecoder) in).readFieldOrder()) {
            out.writeFieldName(field.name());
            write(field.schema(), in, depth);
        }
        out.writeEndObject();
    }

    /** The schema of the value that comes next. */
    private static Schema held(Schema schema, Decoder in) throws IOException {
        return schema.getType() == Schema.Type.UNION ? one(schema.getTypes(), in.readIndex()) : schema;
    }

    private static <T> T one(List<T> known, int index) {
        if (index >= 0 && index < known.size()) return known.get(index);
        throw new BadValue(index + " is not from 0 to " + (known.size() - 1));
    }
}
