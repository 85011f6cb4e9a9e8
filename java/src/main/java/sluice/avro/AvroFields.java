package sluice.avro;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.DecoderFactory;
import sluice.errors.ConditionException;
import sluice.registry.SchemaRegistry;
import sluice.values.Settings;

/** Some fields of Confluent's Avro records as JSON; those that a record does not have are absent. */
public final class AvroFields implements UnaryOperator<byte[]> {
    private static final int BEFORE = 5; // bytes before the record

    private final IntFunction<Schema> schemas;
    private final Set<String> names;
    private final Map<Integer, GenericDatumReader<Object>> readers = new HashMap<>();

    /** For one thread; the settings name the registry. */
    public AvroFields(Settings settings, Set<String> names) {
        this(AvroSchemas.registered(new SchemaRegistry(settings)), names);
    }

    AvroFields(IntFunction<Schema> schemas, Set<String> names) {
        this.schemas = schemas;
        this.names = names;
    }

    /** The JSON of a message; null for one that is no such record. */
    @Override
    public byte[] apply(byte[] message) {
        if (message == null || message.length < BEFORE || message[0] != 0) {
            return null;
        }
        try {
            GenericDatumReader<Object> reader = readers.computeIfAbsent(ByteBuffer.wrap(message).getInt(1), this::reader);
            Object record = reader.read(
                    null, DecoderFactory.get().binaryDecoder(message, BEFORE, message.length - BEFORE, null));
            return GenericData.get().toString(record).getBytes(UTF_8);
        } catch (ConditionException registry) {
            throw registry;
        } catch (IOException | RuntimeException damaged) { // Avro's decoders have several
            return null;
        }
    }

    private GenericDatumReader<Object> reader(int id) {
        Schema writer = schemas.apply(id);
        if (writer.getType() != Schema.Type.RECORD) {
            return new GenericDatumReader<>(writer);
        }
        List<Schema.Field> kept = writer.getFields().stream()
                .filter(field -> names.contains(field.name()))
                .map(field -> new Schema.Field(field, field.schema()))
                .toList();
        String space = writer.getNamespace();
        return new GenericDatumReader<>(writer, Schema.createRecord(writer.getName(), null, space, false, kept));
    }
}
