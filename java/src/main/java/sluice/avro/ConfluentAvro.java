package sluice.avro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.io.ResolvingDecoder;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkEncoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's avro-confluent: a zero, the id of a schema in the registry, and a record. */
public final class ConfluentAvro {
    private static final int BEFORE = 5; // bytes before the record

    private ConfluentAvro() {}

    /** The schema that the table's columns make, or the one that is given if it fits them. */
    static Schema schema(String described, Settings options) {
        Schema made = AvroSchema.of(described, options.flag("timestamp_mapping.legacy"));
        String given = options.textOrNull("schema");
        if (given == null) return made;
        Schema found;
        try {
            found = new Schema.Parser().parse(given);
        } catch (RuntimeException bad) { // its parser has several
            throw new IllegalArgumentException("Could not parse Avro schema string.", bad);
        }
        if (!same(found, made)) {
            throw new IllegalArgumentException("Schema provided for 'avro-confluent' format does not "
                + "match the table schema: " + given);
        }
        return found;
    }

    /** Whether two schemas are the same but for the names and the documentation of records. */
    private static boolean same(Schema one, Schema other) {
        if (one.getType() != other.getType()) return false;
        if (!Objects.equals(one.getLogicalType(), other.getLogicalType())) return false;
        switch (one.getType()) {
            case RECORD:
                List<Schema.Field> fields = one.getFields();
                if (fields.size() != other.getFields().size()) return false;
                for (Schema.Field field : fields) {
                    Schema.Field there = other.getFields().get(field.pos());
                    if (!field.name().equals(there.name())) return false;
                    if (!same(field.schema(), there.schema())) return false;
                }
                return true;
            case ARRAY: return same(one.getElementType(), other.getElementType());
            case MAP: return same(one.getValueType(), other.getValueType());
            case UNION:
                if (one.getTypes().size() != other.getTypes().size()) return false;
                for (int i = 0; i < one.getTypes().size(); i++) {
                    if (!same(one.getTypes().get(i), other.getTypes().get(i))) return false;
                }
                return true;
            default: return true;
        }
    }

    /** From a message to a row: fields are found by their names in the writer's schema. */
    public static final class Read extends AvroDecoder {
        private final Schema schema;
        private final SchemaRegistry registry;
        private transient Map<Integer, ResolvingDecoder> known;

        public Read(String described, Settings options) {
            super(described, (Schema) null);
            schema = schema(described, options);
            registry = new SchemaRegistry(options);
        }

        @Override
        Object[] record(byte[] message) throws IOException {
            if (message.length == 0 || message[0] != 0) {
                throw new BadValue("Unknown data format. Magic number does not match");
            }
            if (message.length < BEFORE) throw new BadValue("The message ends within its record");
            int id = ByteBuffer.wrap(message).getInt(1);
            Schema writer = registry.schema(id);
            AvroBytes in = new AvroBytes(message, BEFORE);
            Object[] row = writer.equals(schema) ? record.values(in) : resolved(id, writer, in);
            in.finish();
            return row;
        }

        private synchronized Object[] resolved(int id, Schema writer, Decoder in) throws IOException {
            if (known == null) known = new HashMap<>();
            ResolvingDecoder resolving = known.get(id);
            if (resolving == null) {
                resolving = DecoderFactory.get().resolvingDecoder(writer, schema, in);
                known.put(id, resolving);
            }
            try {
                resolving.configure(in);
                Object[] row = record.values(resolving);
                resolving.drain();
                return row;
            } catch (IOException | RuntimeException bad) {
                known.remove(id); // its position is in the middle of a record
                throw bad;
            }
        }
    }

    /** From a row to a message; its schema is registered before the first one. */
    public static final class Write extends FlinkEncoder {
        private final AvroWriter.Record record;
        private final String schema;
        private final String subject;
        private final boolean registers;
        private final SchemaRegistry registry;

        public Write(String described, Settings options) {
            record = new AvroWriter.Record(TypeSpec.columns(described));
            schema = schema(described, options).toString();
            subject = options.text("subject");
            registers = options.flag("auto.register.schemas");
            registry = new SchemaRegistry(options);
        }

        @Override
        public byte[] row(InternalRow row) {
            int id = registry.id(subject, schema, registers);
            byte[] before = ByteBuffer.allocate(BEFORE).put((byte) 0).putInt(id).array();
            return record.message(before, row, out -> EncoderFactory.get().directBinaryEncoder(out, null));
        }
    }
}
