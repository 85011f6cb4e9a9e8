package sluice.avro;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.ResolvingDecoder;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * A record that was written with more fields than the table declares: after the values of the table's
 * fields there is one more, a JSON object of the others; null if all of them are.
 */
final class OpenRecord implements AvroValue {
    /** The table's schema of the record, with the writer's fields that it lacks. */
    final transient Schema schema;
    private final AvroValue.Record declared;
    private final int count;

    private OpenRecord(Schema schema, int count, AvroValue.Record declared) {
        this.schema = schema;
        this.count = count;
        this.declared = declared;
    }

    /** For a record of the table; null if the writer's has no other fields, or is no record. */
    static OpenRecord of(Schema table, Schema writer, AvroValue.Record declared) {
        if (writer.getType() != Schema.Type.RECORD) return null;
        List<Schema.Field> fields = new ArrayList<>();
        for (Schema.Field field : table.getFields()) fields.add(new Schema.Field(field, field.schema()));
        int count = fields.size();
        for (Schema.Field field : writer.getFields()) {
            if (table.getField(field.name()) == null) fields.add(new Schema.Field(field, field.schema()));
        }
        if (fields.size() == count) return null;
        Schema schema = Schema.createRecord(table.getName(), null, table.getNamespace(), false, fields);
        return new OpenRecord(schema, count, declared);
    }

    @Override
    public Object read(Decoder in) throws IOException {
        Object[] row = new Object[count + 1];
        AvroJson others = new AvroJson();
        for (Schema.Field field : ((ResolvingDecoder) in).readFieldOrder()) {
            if (field.pos() < count) row[field.pos()] = declared.field(field.pos(), in);
            else others.field(field.name(), field.schema(), in);
        }
        row[count] = others.object();
        return new GenericInternalRow(row);
    }
}
