package sluice.flink;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.registry.JsonSchema;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaId;
import sluice.registry.SchemaRegistry;
import sluice.registry.Subjects;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's json after the id of a JSON Schema that a registry has. */
public final class FlinkJsonConfluent {
    private static final String RECORD = "record";

    private FlinkJsonConfluent() {}

    /** From a message to a row; what it says is in its own names, so that its schema is not needed. */
    public static final class Read extends FlinkDecoder {
        private final FlinkJsonDecoder object;

        public Read(String columns, Settings options) {
            super(columns, options.flag("ignore-parse-errors"));
            object = new FlinkJsonDecoder(columns, options);
        }

        @Override
        protected String failed(byte[] message) {
            return "Failed to deserialize JSON.";
        }

        @Override
        public ArrayData decode(byte[] message) {
            if (message.length < SchemaId.LENGTH || message[0] != 0) return super.decode(message);
            return object.decode(Arrays.copyOfRange(message, SchemaId.LENGTH, message.length));
        }

        @Override
        protected Object[] read(byte[] message) {
            SchemaId.of(message, 0);
            InternalRow row = object.row(Arrays.copyOfRange(message, SchemaId.LENGTH, message.length));
            return row == null ? null : ((GenericInternalRow) row).values();
        }
    }

    /** From a row to a message; its schema is registered before the first one. */
    public static final class Write extends FlinkEncoder {
        private final FlinkJsonEncoder object;
        private final String schema;
        private final String subject;
        private final boolean registers;
        private final SchemaRegistry registry;

        public Write(String columns, Settings options) {
            object = new FlinkJsonEncoder(columns, options);
            schema = JsonSchema.of(TypeSpec.columns(columns), RECORD);
            subject = Subjects.of(options, RECORD);
            registers = options.flag("auto.register.schemas");
            registry = new SchemaRegistry(options);
        }

        @Override
        public byte[] row(InternalRow row) {
            Output out = new Output(object.room() + SchemaId.LENGTH);
            SchemaId.put(registry.id(subject, RegisteredSchema.JSON, schema, registers), out);
            object.write(row, out);
            return out.message();
        }
    }
}
