package sluice.changes;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.changes.EnvelopeField.Event;
import sluice.changes.EnvelopeField.Named;
import sluice.decode.Decoder;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.NameTable;
import sluice.values.Settings;

/**
 * Change events of a database as JSON: an envelope with an operation and the rows it concerns.
 *
 * <p>The fields of an envelope may come in any order, so its rows are read when the operation is known.
 * With a PRIMARY KEY an update is its new row; the old row is emitted only if the key changes.
 */
abstract class JsonChangesDecoder implements Decoder {
    private static final int AFTER = 0, BEFORE = 1, OPERATION = 2, PAYLOAD = 3, OTHERS = 4;

    /**
     * How a system writes its changes.
     *
     * @param system its name, for errors
     * @param after the field of new rows
     * @param before the field of old rows
     * @param partial whether an old row has only what an update changed; a deleted row is then a new one
     * @param lists whether these fields are lists of rows
     * @param advice what can be done where an old row is missing
     */
    record Layout(String system, String operation, String after, String before, boolean partial,
            boolean lists, String advice, Map<String, Operation> operations) implements Serializable {}

    /** Whether the envelope is within another one, under {@code payload}; null where both occur. */
    private final Boolean wrapped;
    private final ChangeRows rows;
    private final RowImage image;
    private final SchemaDrift drift;
    private final Layout layout;
    private final boolean lenient;
    private final NameTable names;
    private final NameTable operations;
    private final Operation[] numbered;
    private final EnvelopeField[][] fields;
    private final boolean[] ofMessage; // which fields are beside the payload
    private final int tests;

    /**
     * @param omits whether values may be unavailable
     * @param outer fields beside a payload
     * @param others fields of the envelope, of which the first {@code tests} decide about the message
     * @param drift null unless columns that the table does not declare are added to its target
     */
    JsonChangesDecoder(ChangeRows rows, Settings options, Layout layout, boolean omits, Boolean wrapped,
            List<Named> outer, List<Named> others, int tests, SchemaDrift drift) {
        this.rows = rows;
        this.drift = drift;
        this.layout = layout;
        this.wrapped = wrapped;
        this.tests = tests;
        lenient = options.fixed("ignore-parse-errors");
        image = new RowImage(rows, options, omits, drift);
        List<String> known = new ArrayList<>(List.of(layout.after(), layout.before(), layout.operation(), "payload"));
        List<List<EnvelopeField>> found = new ArrayList<>();
        List<Boolean> beside = new ArrayList<>();
        for (int i = 0; i < outer.size() + others.size(); i++) {
            boolean isOuter = i < outer.size();
            Named each = isOuter ? outer.get(i) : others.get(i - outer.size());
            int at = known.indexOf(each.field());
            if (at < 0) {
                at = known.size();
                known.add(each.field());
                found.add(new ArrayList<>());
                beside.add(isOuter);
            }
            found.get(at - OTHERS).add(each.value());
        }
        names = new NameTable(known);
        fields = found.stream().map(each -> each.toArray(new EnvelopeField[0])).toArray(EnvelopeField[][]::new);
        ofMessage = new boolean[beside.size()];
        for (int i = 0; i < ofMessage.length; i++) ofMessage[i] = beside.get(i);
        List<String> texts = new ArrayList<>(layout.operations().keySet());
        operations = new NameTable(texts);
        numbered = texts.stream().map(layout.operations()::get).toArray(Operation[]::new);
    }

    @Override
    public final ArrayData decode(byte[] message) {
        if (message.length == 0) return ChangeRows.NOTHING;
        try {
            JsonCursor in = image.open(message);
            Event event = new Event(rows.wanted.size());
            envelope(in, event, false);
            if (drift == null) return changes(in, event);
            drift.begin(in.bytes, event.types, event.typesEnd);
            return rows.listing(changes(in, event), drift.discovered());
        } catch (BadValue bad) {
            if (lenient) return ChangeRows.NOTHING;
            String shown = BadValue.shown(message, 0, message.length);
            return rows.wrong("Corrupt " + layout.system() + " JSON message '" + shown + "'. " + bad.getMessage());
        }
    }

    /** Read an object, which comes next, whose fields are those of an envelope or hold one. */
    private void envelope(JsonCursor in, Event event, boolean inner) {
        if (in.peek() != '{') throw in.expected("an object");
        in.at++;
        boolean here = inner || !Boolean.TRUE.equals(wrapped);
        int field = -1;
        for (boolean more = !in.took('}'); more; more = in.another('}')) {
            in.key();
            field = names.find(in, field + 1);
            if (field == PAYLOAD) payload(in, event, inner);
            else if (field >= OTHERS && (ofMessage[field - OTHERS] ? !inner : here)) others(in, event, field - OTHERS);
            else if (field < 0 || field >= OTHERS || !here) in.skip();
            else if (field == OPERATION) operation(in, event);
            else if (field == AFTER) event.after = position(in);
            else event.before = position(in);
        }
    }

    private void payload(JsonCursor in, Event event, boolean inner) {
        if (inner || Boolean.FALSE.equals(wrapped) || in.peek() != '{') {
            event.wrapped |= in.peek() == '{';
            in.skip();
        } else {
            envelope(in, event, true);
        }
    }

    private void others(JsonCursor in, Event event, int field) {
        in.peek();
        int start = in.at;
        for (EnvelopeField each : fields[field]) {
            in.at = start;
            each.read(in, event);
        }
    }

    /** Where a value begins; -1 for null. */
    private static int position(JsonCursor in) {
        boolean none = in.peek() == 'n';
        int start = in.at;
        in.skipUnread();
        return none ? -1 : start;
    }

    private void operation(JsonCursor in, Event event) {
        byte kind = in.next();
        if (kind == JsonCursor.NULL) return;
        if (kind == JsonCursor.LIST || kind == JsonCursor.OBJECT) throw in.expected("a text");
        int found = operations.find(in.text, in.from, in.to - in.from);
        event.operation = found < 0 ? null : numbered[found];
        event.unknown = found < 0 ? BadValue.shown(in.text, in.from, in.to) : null;
    }

    private ArrayData changes(JsonCursor in, Event event) {
        if (event.tests < tests) throw new BadValue("The message does not tell its database and table.");
        if (event.excluded) return ChangeRows.NOTHING;
        if (event.unknown != null) {
            throw new BadValue("Unknown \"" + layout.operation() + "\" value \"" + event.unknown + "\".");
        }
        if (event.operation == null) {
            String hint = event.wrapped ? " The message has a \"payload\": set the option schema-include." : "";
            throw new BadValue("The field \"" + layout.operation() + "\" is missing." + hint);
        }
        switch (event.operation) {
            case INSERT: return inserts(in, event);
            case UPDATE: return updates(in, event);
            case DELETE: return deletes(in, event);
            default: return ChangeRows.NOTHING;
        }
    }

    private ArrayData inserts(JsonCursor in, Event event) {
        int[] found = objects(in, event.after, layout.after());
        Object[][] made = new Object[found.length][];
        for (int i = 0; i < found.length; i++) {
            Object[] row = rows.row(RowKinds.INSERT);
            byte[] marks = rows.marks();
            image.fill(in, found[i], row, marks);
            made[i] = put(row, marks, event);
        }
        return ChangeRows.list(made);
    }

    private ArrayData deletes(JsonCursor in, Event event) {
        int at = layout.partial() ? event.after : event.before;
        if (at < 0 && !layout.partial()) throw noOldRow(Operation.DELETE);
        int[] found = objects(in, at, layout.partial() ? layout.after() : layout.before());
        Object[][] made = new Object[found.length][];
        for (int i = 0; i < found.length; i++) {
            Object[] row = rows.row(RowKinds.DELETE);
            byte[] marks = rows.marks();
            image.fill(in, found[i], row, marks);
            made[i] = removed(row, marks, event);
        }
        return ChangeRows.list(made);
    }

    private ArrayData updates(JsonCursor in, Event event) {
        if (event.before < 0 && !rows.keyed()) throw noOldRow(Operation.UPDATE);
        int[] news = objects(in, event.after, layout.after());
        int[] olds = event.before < 0 ? null : objects(in, event.before, layout.before());
        if (olds != null && olds.length < news.length) {
            throw new BadValue("There are " + news.length + " rows in \"" + layout.after() + "\" and "
                + olds.length + " in \"" + layout.before() + "\".");
        }
        List<Object> made = new ArrayList<>(2 * news.length);
        for (int i = 0; i < news.length; i++) {
            Object[] row = rows.row(RowKinds.UPDATE_AFTER);
            byte[] marks = rows.marks();
            image.fill(in, news[i], row, marks);
            Object[] old = olds == null ? null : old(in, olds[i], row, marks, event);
            if (old != null) made.add(new GenericInternalRow(old));
            made.add(new GenericInternalRow(put(row, marks, event)));
        }
        return new GenericArrayData(made.toArray());
    }

    /** The old row of an update, which may complete the new one; null if it is the new row's key that counts. */
    private Object[] old(JsonCursor in, int at, Object[] row, byte[] marks, Event event) {
        Object[] old = rows.row(RowKinds.UPDATE_BEFORE);
        byte[] oldMarks = rows.marks();
        if (rows.keyed() && !ChangeRows.lacks(marks)) {
            image.fillKey(in, at, old, oldMarks);
            if (sameKey(old, oldMarks, row)) return null;
            old = rows.row(RowKinds.UPDATE_BEFORE);
            Arrays.fill(oldMarks, ChangeRows.ABSENT);
        }
        image.fill(in, at, old, oldMarks);
        rows.complete(row, marks, old, oldMarks);
        if (layout.partial()) unchanged(old, oldMarks, row, marks);
        if (rows.keyed() && sameKey(old, oldMarks, row)) return null;
        return removed(old, oldMarks, event);
    }

    /** Whether an old row has the new one's key; one that does not tell all of its key has it. */
    private boolean sameKey(Object[] old, byte[] oldMarks, Object[] row) {
        for (int column : rows.key) {
            if (oldMarks[column] == ChangeRows.ABSENT) {
                if (!layout.partial()) return true;
                old[rows.first + column] = row[rows.first + column];
            }
        }
        return rows.sameKey(old, row);
    }

    /** What an old row does not tell is as in the new one. */
    private void unchanged(Object[] old, byte[] oldMarks, Object[] row, byte[] marks) {
        for (int column = 0; column < marks.length; column++) {
            if (oldMarks[column] == ChangeRows.ABSENT) {
                old[rows.first + column] = row[rows.first + column];
                oldMarks[column] = marks[column];
            }
        }
    }

    /** A row that is put, complete: its values, those that it does not tell, its metadata. */
    private Object[] put(Object[] row, byte[] marks, Event event) {
        if (ChangeRows.lacks(marks)) rows.keepUnavailable(row, marks);
        return completed(row, marks, event);
    }

    /** The same for one that is removed, of which with a key only that counts. */
    private Object[] removed(Object[] row, byte[] marks, Event event) {
        return rows.keyed() ? completed(row, marks, event) : put(row, marks, event);
    }

    private Object[] completed(Object[] row, byte[] marks, Event event) {
        rows.checkKey(row, marks);
        image.fillMissing(row, marks);
        Object[] more = event.metadata;
        System.arraycopy(more, 0, row, row.length - more.length, more.length);
        return row;
    }

    /** Where the rows of a field begin. */
    private int[] objects(JsonCursor in, int at, String field) {
        if (at < 0) throw new BadValue("The field \"" + field + "\" is null or missing.");
        if (!layout.lists()) return new int[] {at};
        in.at = at;
        if (in.peek() != '[') throw in.expected("a list");
        in.at++;
        int[] found = new int[4];
        int count = 0;
        for (boolean more = !in.took(']'); more; more = in.another(']')) {
            if (count == found.length) found = Arrays.copyOf(found, 2 * count);
            in.peek();
            found[count++] = in.at;
            in.skipUnread();
        }
        return Arrays.copyOf(found, count);
    }

    private BadValue noOldRow(Operation operation) {
        return ChangeRows.noOldRow(layout.before(), operation, layout.advice());
    }
}
