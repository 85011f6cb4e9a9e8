package sluice.protobuf;

import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.decode.Decoder;
import sluice.encode.Encoder;
import sluice.errors.ConditionException;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaId;
import sluice.registry.SchemaRegistry;
import sluice.registry.Subjects;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Records whose schemas a registry has, with columns as ClickHouse has them. */
public final class ProtobufConfluent {
    private static final int FIRST_MESSAGE = 0; // the path of a schema's first message

    private ProtobufConfluent() {}

    /** From a message to its row: fields are found by their names in the writer's schema. */
    public static final class Read implements Decoder {
        private final String described;
        private final String settings;
        private final int columns;
        private final SchemaRegistry registry;
        private transient RegisteredMessage<ProtobufDecoder> known;

        public Read(String described, Settings settings) {
            this.described = described;
            this.settings = settings.json();
            this.columns = TypeSpec.columns(described).size();
            this.registry = new SchemaRegistry(settings);
        }

        @Override
        public ArrayData decode(byte[] message) {
            try {
                ProtoCursor in = new ProtoCursor(message);
                return known().read(in).decode(in);
            } catch (BadValue bad) {
                return bad.row(columns);
            }
        }

        private synchronized RegisteredMessage<ProtobufDecoder> known() {
            if (known == null) {
                Settings given = new Settings(settings);
                known = new RegisteredMessage<>(registry, message -> new ProtobufDecoder(described, given, message));
            }
            return known;
        }
    }

    /** From a row to a message; the schema of the columns is registered before the first one. */
    public static final class Write implements Encoder {
        private final ProtobufEncoder record;
        private final String schema;
        private final String subject;
        private final SchemaRegistry registry;

        public Write(String described, Settings settings) {
            schema = GeneratedSchema.registered(TypeSpec.columns(described), Subjects.ROW, false);
            record = new ProtobufEncoder(described, settings, new ProtoFiles(Map.of(Subjects.ROW, schema), Subjects.ROW).find(Subjects.ROW));
            subject = Subjects.of(settings, Subjects.ROW);
            registry = new SchemaRegistry(settings);
        }

        @Override
        public byte[] encode(ArrayData rows) {
            if (rows.numElements() > 1) throw ConditionException.ofExpression("NO_ROW_DELIMITER", Map.of("format", "ProtobufConfluent"));
            Output out = new Output();
            SchemaId.put(registry.id(subject, RegisteredSchema.PROTOBUF, schema, true), out);
            out.put(FIRST_MESSAGE);
            record.encode(rows, out);
            return out.message();
        }
    }
}
