package sluice.avro;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import sluice.decode.AllowedErrors;
import sluice.registry.Plans;
import sluice.registry.RegisteredSchema;
import sluice.registry.SchemaRegistry;
import sluice.scan.BadValue;
import sluice.values.Settings;

/** ClickHouse's AvroConfluent, read: records one after another, each after a zero and the id of its schema. */
public final class AvroConfluentDecoder extends ColumnsDecoder {
    private final SchemaRegistry registry;
    private final AllowedErrors errors;
    private transient Plans<Integer, ReadPlan> plans;

    public AvroConfluentDecoder(String described, Settings settings) {
        super(described, settings);
        registry = new SchemaRegistry(settings);
        errors = AllowedErrors.of(settings);
    }

    @Override
    void rows(byte[] message, List<Object> found) {
        AvroBytes in = new AvroBytes(message, 0);
        boolean planning = false; // a schema that is wrong is no bad row
        try {
            while (in.left() > 0) {
                int id = ConfluentAvro.id(message, in.at());
                planning = true;
                ReadPlan plan = plan(id);
                planning = false;
                in.skip(ConfluentAvro.BEFORE);
                found.add(new GenericInternalRow(plan.row(in)));
            }
        } catch (BadValue bad) { // the rest is skipped, too: where the next record begins is not known
            if (planning || !errors.allow(1, found.size() + 1)) throw bad;
        }
    }

    private synchronized ReadPlan plan(int id) {
        if (plans == null) plans = new Plans<>();
        ReadPlan found = plans.get(id, () -> {
            RegisteredSchema schema = registry.find(id);
            return schema == null ? null : compiler().plan(AvroSchemas.of(schema));
        });
        if (found == null) throw new BadValue("The schema registry has no schema with the id " + id);
        return found;
    }
}
