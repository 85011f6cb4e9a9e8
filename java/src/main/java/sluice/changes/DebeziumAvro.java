package sluice.changes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.avro.ConfluentAvro;
import sluice.decode.Decoder;
import sluice.flink.FlinkEncoder;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Debezium's change events as Avro with a schema registry: a record of the row before and after, and the operation. */
public final class DebeziumAvro {
    private static final int BEFORE = 1, AFTER = 2, OPERATION = 3; // in a decoded row, after its error

    private DebeziumAvro() {}

    /** The columns of the envelope around a table's columns. */
    private static String envelope(JsonNode columns) {
        ObjectMapper json = new ObjectMapper();
        ObjectNode row = json.createObjectNode().put("kind", "parts").put("name", "ROW").put("nullable", true);
        ArrayNode items = row.putArray("items");
        ArrayNode names = row.putArray("names");
        for (JsonNode each : columns) {
            names.add(each.get("column"));
            items.add(each.get("type"));
        }
        ArrayNode made = json.createArrayNode();
        made.addObject().put("column", "before").set("type", row);
        made.addObject().put("column", "after").set("type", row);
        made.addObject().put("column", "op").set("type",
            json.createObjectNode().put("kind", "text").put("name", "STRING").put("nullable", true));
        return made.toString();
    }

    /** From a message to changes. */
    public static final class Read implements Decoder {
        private final ChangeRows rows;
        private final ConfluentAvro.Read record;
        private final int declared; // columns
        private final SchemaDrift drift; // null unless columns are added
        private final RowImage others; // reads columns that the table does not declare; null if they are ignored
        private final boolean legacy;
        private transient Map<Integer, Map<String, DeclaredType>> types;

        public Read(String columns, Settings options) {
            rows = new ChangeRows(columns, options);
            drift = SchemaDrift.of(options, null);
            boolean reads = drift != null || options.fixed("envelope.strict");
            others = reads ? new RowImage(rows, options, true, drift) : null;
            legacy = options.flag("timestamp_mapping.legacy");
            ArrayNode own = declared(columns);
            declared = own.size();
            record = new ConfluentAvro.Read(envelope(own), options, reads ? Set.of("before", "after") : Set.of());
        }

        /** The columns without those that only the target has. */
        private ArrayNode declared(String columns) {
            ArrayNode own = new ObjectMapper().createArrayNode();
            for (JsonNode each : TypeSpec.tree(columns)) {
                if (drift == null || !drift.has(each.get("column").asText())) own.add(each);
            }
            return own;
        }

        @Override
        public ArrayData decode(byte[] message) {
            if (message.length == 0) return ChangeRows.NOTHING;
            try {
                Object[] found = ((GenericInternalRow) record.row(message)).values();
                if (found[0] != null) throw new BadValue(found[0].toString());
                if (drift != null) drift.begin(types(message));
                ArrayData changes = changes(values(found[BEFORE]), values(found[AFTER]), (UTF8String) found[OPERATION]);
                return drift == null ? changes : rows.listing(changes, drift.discovered());
            } catch (BadValue bad) {
                return rows.wrong("Can't deserialize Debezium Avro message. " + bad.getMessage());
            }
        }

        private Map<String, DeclaredType> types(byte[] message) {
            if (types == null) types = new HashMap<>();
            return types.computeIfAbsent(ConfluentAvro.Read.id(message),
                id -> DeclaredType.avro(record.writer(message), legacy));
        }

        private static Object[] values(Object row) {
            return row == null ? null : ((GenericInternalRow) row).values();
        }

        private ArrayData changes(Object[] before, Object[] after, UTF8String name) {
            if (name == null) throw new BadValue("The field \"op\" is null.");
            Operation operation = DebeziumJsonDecoder.OPERATIONS.get(name.toString());
            if (operation == null) {
                throw new BadValue("Unknown \"op\" value \"" + BadValue.shown(name.toString()) + "\".");
            }
            if (operation == Operation.NONE) return ChangeRows.NOTHING;
            boolean deletes = operation == Operation.DELETE;
            boolean needsOld = deletes || operation == Operation.UPDATE && !rows.keyed();
            if (before == null && needsOld) {
                throw ChangeRows.noOldRow("before", operation, DebeziumJsonDecoder.ADVICE);
            }
            if (after == null && !deletes) throw new BadValue("The field \"after\" is null.");
            byte[] oldMarks = rows.marks();
            Object[] old = before == null ? null : row(deletes ? RowKinds.DELETE : RowKinds.UPDATE_BEFORE,
                before, oldMarks);
            if (deletes) {
                fillOthers(before, old, oldMarks);
                return ChangeRows.list(removed(old, oldMarks));
            }
            byte[] marks = rows.marks();
            boolean inserts = operation == Operation.INSERT;
            Object[] row = row(inserts ? RowKinds.INSERT : RowKinds.UPDATE_AFTER, after, marks);
            fillOthers(after, row, marks);
            if (old != null && (!isSame(old, row) || ChangeRows.lacks(marks))) {
                fillOthers(before, old, oldMarks);
                rows.complete(row, marks, old, oldMarks);
            }
            rows.keepUnavailable(row, marks);
            rows.checkKey(row, marks);
            boolean alone = inserts || old == null || isSame(old, row);
            return alone ? ChangeRows.list(row) : ChangeRows.list(removed(old, oldMarks), row);
        }

        private boolean isSame(Object[] old, Object[] row) {
            return rows.keyed() && rows.sameKey(old, row);
        }

        private Object[] removed(Object[] row, byte[] marks) {
            if (!rows.keyed()) rows.keepUnavailable(row, marks);
            rows.checkKey(row, marks);
            return row;
        }

        private Object[] row(UTF8String kind, Object[] values, byte[] marks) {
            Object[] row = rows.row(kind);
            for (int i = 0; i < declared; i++) {
                boolean none = Unavailable.is(values[i]);
                marks[i] = none ? ChangeRows.UNAVAILABLE : ChangeRows.PRESENT;
                row[rows.first + i] = none ? null : values[i];
            }
            return row;
        }

        /** Read the columns that the table does not declare, which come after those that it does. */
        private void fillOthers(Object[] values, Object[] row, byte[] marks) {
            Object found = values.length > declared ? values[declared] : null;
            if (found != null) others.fill(new JsonCursor((byte[]) found), 0, row, marks);
        }
    }

    /** From a row, with its kind after its columns, to a message. */
    public static final class Write extends FlinkEncoder {
        private static final UTF8String PUT = UTF8String.fromString("c");
        private static final UTF8String REMOVED = UTF8String.fromString("d");

        private final ConfluentAvro.Write record;
        private final int columns;

        public Write(String columns, Settings options) {
            JsonNode described = TypeSpec.tree(columns);
            record = new ConfluentAvro.Write(envelope(described), options);
            this.columns = described.size();
        }

        @Override
        public byte[] row(InternalRow row) {
            boolean kind = row.numFields() > columns && !row.isNullAt(columns);
            boolean removes = kind && RowKinds.removes(row.getUTF8String(columns));
            Object[] made = removes ? new Object[] {row, null, REMOVED} : new Object[] {null, row, PUT};
            return record.row(new GenericInternalRow(made));
        }
    }
}
