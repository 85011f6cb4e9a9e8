package sluice.avro;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/**
 * How records that were written with one schema become rows of a table, by ClickHouse's rules: a column is the field
 * of its name, {@code b.a} is the field a of the record b, and other fields are passed over.
 */
final class ReadPlan {
    private final TableColumns table;
    private final Step root;

    /** Reads or passes over what comes next. */
    private interface Step {
        void run(AvroBytes in, Object[] row);
    }

    private ReadPlan(TableColumns table, Step root) {
        this.table = table;
        this.root = root;
    }

    /** The row of a record: a place for its error, and the columns. */
    Object[] row(AvroBytes in) {
        Object[] row = table.row();
        root.run(in, row);
        return table.filled(row);
    }

    /** Makes the plans of a table. */
    static final class Compiler {
        private final TableColumns table;
        private final List<TypeSpec.Column> columns;
        private final ColumnValues values;
        private final boolean mayLack;

        Compiler(TableColumns table, String described, Settings settings) {
            this.table = table;
            columns = TypeSpec.columns(described);
            boolean nullIsDefault = settings.flag("input_format_null_as_default")
                || settings.flag("input_format_avro_null_as_default");
            values = new ColumnValues(new ValueReaders(settings, false), nullIsDefault);
            mayLack = settings.flag("input_format_avro_allow_missing_fields");
        }

        /** How many columns the table has. */
        int columns() {
            return columns.size();
        }

        /** The plan for a writer's schema; a {@link BadValue} tells why there is none. */
        ReadPlan plan(Schema writer) {
            if (writer.getType() != Schema.Type.RECORD) throw new BadValue("The root of an Avro schema must be a record");
            boolean[] found = new boolean[columns.size()];
            Step root = record(writer, "", found);
            for (int i = 0; i < found.length; i++) {
                if (!found[i] && !mayLack) throw new BadValue("Field " + columns.get(i).name() + " not found in Avro schema");
            }
            return new ReadPlan(table, root);
        }

        private int column(String path) {
            for (int i = 0; i < columns.size(); i++) {
                if (columns.get(i).name().equals(path)) return i;
            }
            return -1;
        }

        private boolean isWithin(String path) {
            return columns.stream().anyMatch(column -> column.name().startsWith(path + "."));
        }

        private Step step(Schema schema, String path, boolean[] found) {
            int at = column(path);
            if (at >= 0) return value(schema, at, found);
            if (isWithin(path)) {
                switch (schema.getType()) {
                    case RECORD: return record(schema, path + ".", found);
                    case UNION: return union(schema, path, found);
                    case ARRAY:
                        if (schema.getElementType().getType() == Schema.Type.RECORD) return nested(schema, path, found);
                        break;
                    default:
                }
            }
            Skip skip = Skip.of(schema);
            return (in, row) -> skip.skip(in, 0);
        }

        private Step value(Schema schema, int at, boolean[] found) {
            ColumnValue value = value(schema, at, columns.get(at).type(), table.values[at]);
            found[at] = true;
            return (in, row) -> row[at + 1] = value.read(in);
        }

        private ColumnValue value(Schema schema, int at, TypeSpec type, ValueReader texts) {
            try {
                return values.of(schema, type, texts);
            } catch (BadValue bad) {
                throw new BadValue(bad.getMessage() + ": column " + columns.get(at).name());
            }
        }

        private Step record(Schema schema, String before, boolean[] found) {
            Step[] fields = schema.getFields().stream()
                .map(field -> step(field.schema(), before + field.name(), found)).toArray(Step[]::new);
            return (in, row) -> {
                for (Step field : fields) field.run(in, row);
            };
        }

        /** The branches of a union have their names in paths. */
        private Step union(Schema schema, String path, boolean[] found) {
            Step[] branches = schema.getTypes().stream()
                .map(branch -> step(branch, path + "." + branch.getName(), found)).toArray(Step[]::new);
            return (in, row) -> branches[in.branch(branches.length)].run(in, row);
        }

        /** Records of an array, whose fields are columns that are arrays. */
        private Step nested(Schema schema, String path, boolean[] found) {
            List<Schema.Field> fields = schema.getElementType().getFields();
            ColumnValue[] items = new ColumnValue[fields.size()];
            int[] at = new int[items.length];
            for (int i = 0; i < items.length; i++) {
                Schema field = fields.get(i).schema();
                at[i] = column(path + "." + fields.get(i).name());
                TypeSpec type = at[i] < 0 ? null : columns.get(at[i]).type();
                if (type == null || !type.kind().equals("items")) {
                    at[i] = -1;
                    Skip skip = Skip.of(field);
                    items[i] = in -> {
                        skip.skip(in, 0);
                        return null;
                    };
                } else {
                    items[i] = value(field, at[i], type.inner("item"), values.texts(type.inner("item")));
                    found[at[i]] = true;
                }
            }
            return (in, row) -> {
                List<List<Object>> lists = new ArrayList<>();
                for (int i = 0; i < items.length; i++) lists.add(new ArrayList<>());
                for (long count = in.items(); count > 0; count = in.items()) {
                    for (long n = 0; n < count; n++) {
                        for (int i = 0; i < items.length; i++) {
                            Object item = items[i].read(in);
                            if (at[i] >= 0) lists.get(i).add(item);
                        }
                    }
                }
                for (int i = 0; i < items.length; i++) {
                    if (at[i] >= 0) row[at[i] + 1] = ColumnValues.list(lists.get(i).toArray());
                }
            };
        }
    }
}
