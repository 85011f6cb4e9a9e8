package sluice.protobuf;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkDecoder;
import sluice.flink.FlinkEncoder;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaId;
import sluice.registry.SchemaRegistry;
import sluice.registry.Subjects;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's protobuf with schemas in a registry. */
public final class FlinkProtobufConfluent {
    private static final String RECORD = "record";

    private FlinkProtobufConfluent() {}

    /** From a message to a row: fields are found by their names in the writer's schema, others are NULL. */
    public static final class Read extends FlinkDecoder {
        private final String described;
        private final int columns;
        private final SchemaRegistry registry;
        private transient RegisteredMessage<MessageReader> known;

        public Read(String described, Settings options) {
            super(described, options.fixed("ignore-parse-errors"));
            this.described = described;
            this.columns = TypeSpec.columns(described).size();
            this.registry = new SchemaRegistry(options);
        }

        @Override
        protected String failed(byte[] message) {
            return "Failed to deserialize PB object.";
        }

        @Override
        protected Object[] read(byte[] message) {
            ProtoCursor in = new ProtoCursor(message, true);
            MessageReader record = known().read(in);
            Object[] row = new Object[columns + 1];
            record.read(in, false, row, 1);
            record.finish(row, 1);
            return row;
        }

        private synchronized RegisteredMessage<MessageReader> known() {
            if (known == null) {
                List<TypeSpec.Column> given = TypeSpec.columns(described);
                known = new RegisteredMessage<>(registry, message ->
                    new MessageReader(FlinkMatching.known(given, message), new FlinkReaders(false, true)));
            }
            return known;
        }
    }

    /** From a row to a message; its schema is registered before the first one, or is the subject's newest. */
    public static final class Write extends FlinkEncoder {
        private final String described;
        private final String subject;
        private final boolean registers;
        private final SchemaRegistry registry;
        private final String schema;
        private transient FieldWriter[] fields;
        private transient int id;

        public Write(String described, Settings options) {
            this.described = described;
            schema = GeneratedSchema.registered(TypeSpec.columns(described), RECORD, true);
            subject = Subjects.of(options, RECORD);
            registers = options.flag("auto.register.schemas");
            registry = new SchemaRegistry(options);
        }

        @Override
        public byte[] row(InternalRow row) {
            FieldWriter[] known = fields();
            Output out = new Output(128);
            SchemaId.put(id, out);
            out.put(0); // its first message
            for (FieldWriter each : known) each.write(row, 0, out);
            return out.message();
        }

        private synchronized FieldWriter[] fields() {
            if (fields != null) return fields;
            Proto.Message message;
            if (registers) {
                id = registry.id(subject, RegisteredSchema.PROTOBUF, schema, true);
                message = new ProtoFiles(Map.of(RECORD, schema), RECORD).find(RECORD);
            } else {
                RegisteredSchema newest = registry.version(subject, SchemaRegistry.LATEST);
                id = registry.id(subject, newest, false);
                message = RegisteredMessage.files(newest).at(new int[] {0});
            }
            fields = new FlinkWriters("").fields(FlinkMatching.record(TypeSpec.columns(described), message));
            return fields;
        }
    }
}
