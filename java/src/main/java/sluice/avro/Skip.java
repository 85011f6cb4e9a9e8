package sluice.avro;

import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.avro.Schema;
import sluice.scan.BadValue;

/** Passes over what comes next. */
interface Skip {
    int DEEPEST = 1_000; // records within each other: a schema may contain itself

    void skip(AvroBytes in, int depth);

    /** What passes over values of a schema. */
    static Skip of(Schema schema) {
        return of(schema, new IdentityHashMap<>());
    }

    private static Skip of(Schema schema, Map<Schema, Record> known) {
        switch (schema.getType()) {
            case NULL: return (in, depth) -> {};
            case BOOLEAN: return (in, depth) -> in.skip(1);
            case INT:
            case LONG:
            case ENUM: return (in, depth) -> in.readLong();
            case FLOAT: return (in, depth) -> in.skip(4);
            case DOUBLE: return (in, depth) -> in.skip(8);
            case STRING:
            case BYTES: return (in, depth) -> in.slice();
            case FIXED:
                int size = schema.getFixedSize();
                return (in, depth) -> in.skip(size);
            case ARRAY: return items(of(schema.getElementType(), known));
            case MAP:
                Skip value = of(schema.getValueType(), known);
                return items((in, depth) -> {
                    in.slice();
                    value.skip(in, depth);
                });
            case UNION:
                Skip[] branches = schema.getTypes().stream().map(each -> of(each, known)).toArray(Skip[]::new);
                return (in, depth) -> branches[in.branch(branches.length)].skip(in, depth);
            default:
                Record found = known.get(schema);
                if (found != null) return found;
                Record made = new Record();
                known.put(schema, made); // before its fields, which may be of it
                made.fields = schema.getFields().stream().map(each -> of(each.schema(), known)).toArray(Skip[]::new);
                return made;
        }
    }

    private static Skip items(Skip item) {
        return (in, depth) -> {
            for (long count = in.items(); count > 0; count = in.items()) {
                for (long i = 0; i < count; i++) item.skip(in, depth);
            }
        };
    }

    /** A record, which may be within itself. */
    final class Record implements Skip {
        private Skip[] fields;

        @Override
        public void skip(AvroBytes in, int depth) {
            if (depth > DEEPEST) throw new BadValue("A value is nested more than " + DEEPEST + " times");
            for (Skip field : fields) field.skip(in, depth + 1);
        }
    }
}
