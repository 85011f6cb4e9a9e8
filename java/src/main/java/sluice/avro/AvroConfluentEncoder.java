package sluice.avro;

import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.encode.Encoder;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaRegistry;
import sluice.registry.Subjects;
import sluice.values.Output;
import sluice.values.Settings;

/** ClickHouse's AvroConfluent, written; the schema of the columns is registered before the first message. */
public final class AvroConfluentEncoder implements Encoder {
    private final String described;
    private final String settings;
    private final SchemaRegistry registry;
    private final String subject;
    private transient ColumnSchema schema;

    public AvroConfluentEncoder(String described, Settings settings) {
        this.described = described;
        this.settings = settings.json();
        registry = new SchemaRegistry(settings);
        subject = Subjects.of(settings, Subjects.ROW);
        schema = new ColumnSchema(described, settings);
    }

    @Override
    public byte[] encode(ArrayData rows) {
        if (schema == null) schema = new ColumnSchema(described, new Settings(settings));
        int id = registry.id(subject, RegisteredSchema.AVRO, schema.text, true);
        Output out = new Output();
        for (int i = 0; i < rows.numElements(); i++) {
            out.put(0);
            ColumnWriter.highestFirst(id, 4, out);
            schema.write(rows.getStruct(i, schema.columns()), out);
        }
        return out.message();
    }
}
