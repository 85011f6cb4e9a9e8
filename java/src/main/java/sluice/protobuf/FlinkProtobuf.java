package sluice.protobuf;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import sluice.flink.FlinkDecoder;
import sluice.flink.FlinkEncoder;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Flink's protobuf: a message is one record. */
public final class FlinkProtobuf {
    private FlinkProtobuf() {}

    /** From a message to a row. */
    public static class Read extends FlinkDecoder {
        private final MessageReader record;
        private final int columns;

        public Read(String described, Settings options) {
            super(described, options.fixed("ignore-parse-errors"));
            List<TypeSpec.Column> given = TypeSpec.columns(described);
            columns = given.size();
            record = new MessageReader(FlinkMatching.record(given, SchemaSource.ofClass(options)),
                new FlinkReaders(options.fixed("read-default-values"), false));
        }

        @Override
        protected String failed(byte[] message) {
            return "Failed to deserialize PB object.";
        }

        @Override
        protected Object[] read(byte[] message) {
            Object[] row = new Object[columns + 1];
            record.read(new ProtoCursor(message, true), false, row, 1);
            record.finish(row, 1);
            return row;
        }
    }

    /** From a row to a message. */
    public static class Write extends FlinkEncoder {
        private final FieldWriter[] fields;

        public Write(String described, Settings options) {
            Plan.Message plan = FlinkMatching.record(TypeSpec.columns(described), SchemaSource.ofClass(options));
            String nothing = options.textOrNull("write-null-string-literal");
            fields = new FlinkWriters(nothing == null ? "" : nothing).fields(plan);
        }

        @Override
        public byte[] row(InternalRow row) {
            Output out = new Output(128);
            for (FieldWriter each : fields) each.write(row, 0, out);
            return out.message();
        }
    }
}
