package sluice.avro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.io.ResolvingDecoder;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkEncoder;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaId;
import sluice.registry.SchemaRegistry;
import sluice.registry.Subjects;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's avro-confluent: a zero, the id of a schema in the registry, and a record. */
public final class ConfluentAvro {
    static final int BEFORE = SchemaId.LENGTH;

    private ConfluentAvro() {}

    /** The number of the schema of the record that begins at a position. */
    static int id(byte[] message, int at) {
        return SchemaId.of(message, at);
    }

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
        private static final int MOST = 1_000; // schemas

        private final Schema schema;
        private final SchemaRegistry registry;
        private final Map<String, AvroValue.Record> open = new HashMap<>();
        private transient Map<Integer, Resolved> known;

        /** Reads records of one writer's schema; without a decoder if it is the table's. */
        private record Resolved(ResolvingDecoder decoder, AvroValue.Record record) {}

        public Read(String described, Settings options) {
            this(described, options, Set.of());
        }

        /**
         * With records among the columns that are {@code open}: if they were written with fields that the table
         * does not declare, these are their last value, as a JSON object, or null if all of them are null.
         */
        public Read(String described, Settings options, Set<String> open) {
            super(described, (Schema) null);
            schema = schema(described, options);
            registry = new SchemaRegistry(options);
            for (TypeSpec.Column column : TypeSpec.columns(described)) {
                if (open.contains(column.name())) {
                    this.open.put(column.name(), new AvroValue.Record(column.type().fields(), 0));
                }
            }
        }

        /** The schema that a message was written with. */
        public Schema writer(byte[] message) {
            return AvroSchemas.of(registry.schema(id(message)));
        }

        /** The number of that schema in the registry. */
        public static int id(byte[] message) {
            return ConfluentAvro.id(message, 0);
        }

        @Override
        Object[] record(byte[] message) throws IOException {
            int id = id(message);
            AvroBytes in = new AvroBytes(message, BEFORE);
            Object[] row = values(id, in);
            in.finish();
            return row;
        }

        private synchronized Object[] values(int id, AvroBytes in) throws IOException {
            if (known == null) known = new HashMap<>();
            Resolved found = known.get(id);
            if (found == null) {
                Schema writer = AvroSchemas.of(registry.schema(id));
                found = writer.equals(schema) ? new Resolved(null, record) : resolve(writer, in);
                if (known.size() >= MOST) known.clear();
                known.put(id, found);
            }
            if (found.decoder == null) return found.record.values(in);
            try {
                found.decoder.configure(in);
                Object[] row = found.record.values(found.decoder);
                found.decoder.drain();
                return row;
            } catch (IOException | RuntimeException bad) {
                known.remove(id); // its position is in the middle of a record
                throw bad;
            }
        }

        private Resolved resolve(Schema writer, Decoder in) throws IOException {
            AvroValue.Record read = record;
            List<Schema.Field> fields = new ArrayList<>();
            for (Schema.Field field : schema.getFields()) {
                OpenRecord opened = opened(field, writer);
                fields.add(new Schema.Field(field, opened == null ? field.schema()
                    : Schema.createUnion(Schema.create(Schema.Type.NULL), opened.schema)));
                if (opened != null) read = read.with(field.pos(), AvroValue.nullable(opened));
            }
            Schema reader = Schema.createRecord(schema.getName(), null, schema.getNamespace(), false, fields);
            return new Resolved(DecoderFactory.get().resolvingDecoder(writer, reader, in), read);
        }

        private OpenRecord opened(Schema.Field field, Schema writer) {
            boolean isOpen = open.containsKey(field.name()) && writer.getType() == Schema.Type.RECORD;
            Schema.Field theirs = isOpen ? writer.getField(field.name()) : null;
            return theirs == null ? null : OpenRecord.of(AvroSchema.notNull(field.schema()),
                AvroSchema.notNull(theirs.schema()), open.get(field.name()));
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
            Schema made = schema(described, options);
            schema = made.toString();
            subject = Subjects.of(options, made.getFullName());
            registers = options.flag("auto.register.schemas");
            registry = new SchemaRegistry(options);
        }

        @Override
        public byte[] row(InternalRow row) {
            int id = registry.id(subject, RegisteredSchema.AVRO, schema, registers);
            byte[] before = ByteBuffer.allocate(BEFORE).put((byte) 0).putInt(id).array();
            return record.message(before, row, out -> EncoderFactory.get().directBinaryEncoder(out, null));
        }
    }
}
