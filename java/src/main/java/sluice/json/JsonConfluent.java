package sluice.json;

import java.util.Arrays;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.decode.Decoder;
import sluice.encode.Encoder;
import sluice.errors.ConditionException;
import sluice.registry.JsonSchema;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaId;
import sluice.registry.SchemaRegistry;
import sluice.registry.Subjects;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** JSON objects whose JSON Schema a registry has, with columns as JSONEachRow has them. */
public final class JsonConfluent {
    private JsonConfluent() {}

    /** From a message to its rows; what it says is in its own names, so that its schema is not needed. */
    public static final class Read implements Decoder {
        private final JsonEachRowDecoder rows;
        private final int columns;

        public Read(String described, Settings settings) {
            rows = new JsonEachRowDecoder(described, settings);
            columns = TypeSpec.columns(described).size();
        }

        @Override
        public ArrayData decode(byte[] message) {
            try {
                SchemaId.of(message, 0);
            } catch (BadValue bad) {
                return bad.row(columns);
            }
            return rows.decode(Arrays.copyOfRange(message, SchemaId.LENGTH, message.length));
        }
    }

    /** From a row to a message; the schema of the columns is registered before the first one. */
    public static final class Write implements Encoder {
        private final JsonEncoder record;
        private final String schema;
        private final String subject;
        private final SchemaRegistry registry;

        public Write(String described, Settings settings) {
            record = new JsonEncoder(described, settings);
            schema = JsonSchema.of(TypeSpec.columns(described), Subjects.ROW);
            subject = Subjects.of(settings, Subjects.ROW);
            registry = new SchemaRegistry(settings);
        }

        @Override
        public byte[] encode(ArrayData rows) {
            if (rows.numElements() > 1) throw ConditionException.ofExpression("NO_ROW_DELIMITER", Map.of("format", "JSONConfluent"));
            Output out = new Output();
            SchemaId.put(registry.id(subject, RegisteredSchema.JSON, schema, true), out);
            byte[] object = record.encode(rows);
            out.put(object, 0, object.length > 0 ? object.length - 1 : 0); // without the newline
            return out.message();
        }
    }
}
