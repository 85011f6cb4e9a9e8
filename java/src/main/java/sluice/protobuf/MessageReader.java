package sluice.protobuf;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.NumberReaders;

/** Reads a message into the values of columns, by a table of the numbers of its fields. */
final class MessageReader implements Serializable {
    private static final int DENSE = 512; // numbers below this are looked up in an array

    /** What a field's occurrences do to a row, whose columns begin at {@code first}. */
    private abstract static class Slot implements Serializable {
        abstract void read(ProtoCursor in, int key, Object[] row, int first);

        abstract void finish(Object[] row, int first);

        /** Whether a field with a wire type may be this one. */
        boolean takes(int wire) {
            return wire == this.wire || wire == ProtoCursor.BYTES && packs;
        }

        private int wire;
        private boolean packs;
    }

    final int columns;
    private final boolean[] matched;
    private final Object[] defaults; // of columns that the message has no field for
    private final Slot[] slots;
    private final Slot[] table;
    private final Map<Integer, Slot> larger = new HashMap<>();
    private final List<Presence> presences = new ArrayList<>();

    MessageReader(Plan.Message plan, Readers readers) {
        columns = plan.columns().size();
        matched = new boolean[columns];
        for (Plan.Part part : plan.parts()) {
            for (int column : part.columns()) matched[column] = true;
        }
        for (Plan.Presence each : plan.presences()) matched[each.column()] = true;
        defaults = new Object[columns];
        for (int i = 0; i < columns; i++) {
            if (!matched[i]) defaults[i] = readers.missing(plan.columns().get(i).type());
        }
        Map<Integer, Slot> byNumber = new HashMap<>();
        List<Slot> all = new ArrayList<>();
        int largest = 0;
        for (Plan.Part part : plan.parts()) {
            Slot slot = slot(part, readers);
            slot.wire = part.field().type.wire;
            slot.packs = part.field().repeated && part.field().type.packs();
            all.add(slot);
            byNumber.put(part.field().number, slot);
            largest = Math.max(largest, part.field().number);
        }
        for (Plan.Presence each : plan.presences()) {
            Presence made = new Presence(each, plan.columns().get(each.column()).name());
            presences.add(made);
            for (Plan.Part part : plan.parts()) {
                if (!each.oneof().equals(part.field().oneof)) continue;
                byNumber.computeIfPresent(part.field().number, (number, slot) -> new Told(slot, made, number));
            }
        }
        slots = all.toArray(new Slot[0]);
        table = new Slot[Math.min(largest + 1, DENSE)];
        byNumber.forEach((number, slot) -> {
            if (number < table.length) table[number] = slot;
            else larger.put(number, slot);
        });
    }

    /** Whether the message has a field for a column. */
    boolean has(int column) {
        return matched[column];
    }

    private static Slot slot(Plan.Part part, Readers readers) {
        if (part.plan() instanceof Plan.Inline inline) {
            return new Inline(new MessageReader(inline.message(), readers), part.columns());
        }
        if (part.plan() instanceof Plan.Parallel parallel) {
            return new Parallel(new MessageReader(parallel.message(), readers), part.columns());
        }
        return new Column(readers.of(part.plan(), part.column()), part.columns()[0]);
    }

    /** Read fields up to the end of the message, or of the group. */
    void read(ProtoCursor in, boolean group, Object[] row, int first) {
        while (in.at < in.end) {
            int key = in.key();
            int number = key >>> 3;
            Slot slot = number < table.length ? table[number] : larger.isEmpty() ? null : larger.get(number);
            if (slot != null && (key & 7) != ProtoCursor.GROUP_END && (!in.lenient || slot.takes(key & 7))) {
                slot.read(in, key, row, first);
            } else if (group && (key & 7) == ProtoCursor.GROUP_END) {
                return;
            } else {
                in.skip(key);
            }
        }
        if (group) throw ProtoCursor.corrupted("a group that does not end");
    }

    /** Read the message that a field holds. */
    void within(ProtoCursor in, int wire, Object[] row, int first) {
        if (wire != ProtoCursor.BYTES && wire != ProtoCursor.GROUP) {
            throw ProtoCursor.corrupted("a message with the wire type " + wire);
        }
        int outer = in.enter(wire);
        read(in, wire == ProtoCursor.GROUP, row, first);
        in.leave(outer);
    }

    /** Make values of what is held, and fill in what a message did not say. */
    void finish(Object[] row, int first) {
        for (Slot slot : slots) slot.finish(row, first);
        for (Presence each : presences) each.finish(row, first);
        for (int i = 0; i < columns; i++) {
            if (!matched[i]) row[first + i] = defaults[i];
        }
    }

    /** A column of its own. */
    private static final class Column extends Slot {
        private final FieldReader value;
        private final int column;
        private final boolean plain;

        Column(FieldReader value, int column) {
            this.value = value;
            this.column = column;
            this.plain = value instanceof ScalarReader;
        }

        @Override
        void read(ProtoCursor in, int key, Object[] row, int first) {
            row[first + column] = value.read(in, key & 7, row[first + column]);
        }

        @Override
        void finish(Object[] row, int first) {
            Object held = row[first + column];
            if (held == null) row[first + column] = value.missing();
            else if (!plain) row[first + column] = value.done(held);
        }
    }

    /** Columns that are fields of a message within the message. */
    private static final class Inline extends Slot {
        private final MessageReader message;
        private final int[] columns;

        Inline(MessageReader message, int[] columns) {
            this.message = message;
            this.columns = columns;
        }

        @Override
        void read(ProtoCursor in, int key, Object[] row, int first) {
            Object[] inner = new Object[columns.length];
            for (int i = 0; i < columns.length; i++) inner[i] = row[first + columns[i]];
            message.within(in, key & 7, inner, 0);
            for (int i = 0; i < columns.length; i++) row[first + columns[i]] = inner[i];
        }

        @Override
        void finish(Object[] row, int first) {
            Object[] inner = new Object[columns.length];
            for (int i = 0; i < columns.length; i++) inner[i] = row[first + columns[i]];
            message.finish(inner, 0);
            for (int i = 0; i < columns.length; i++) row[first + columns[i]] = inner[i];
        }
    }

    /** Arrays with an item for each message. */
    private static final class Parallel extends Slot {
        private final MessageReader message;
        private final int[] columns;

        Parallel(MessageReader message, int[] columns) {
            this.message = message;
            this.columns = columns;
        }

        @Override
        @SuppressWarnings("unchecked")
        void read(ProtoCursor in, int key, Object[] row, int first) {
            Object[] inner = new Object[columns.length];
            message.within(in, key & 7, inner, 0);
            message.finish(inner, 0);
            for (int i = 0; i < columns.length; i++) {
                int at = first + columns[i];
                if (row[at] == null) row[at] = new ArrayList<>();
                ((List<Object>) row[at]).add(inner[i]);
            }
        }

        @Override
        void finish(Object[] row, int first) {
            for (int column : columns) {
                Object held = row[first + column];
                row[first + column] = new GenericArrayData(held == null ? new Object[0] : ((List<?>) held).toArray());
            }
        }
    }

    /** A column that says which field of a oneof there is. */
    private static final class Presence implements Serializable {
        private final int column;
        private final String name;
        private final int bits; // of an integer: 0 for an enum, 65 for one without a sign
        private final Map<Integer, UTF8String> names = new HashMap<>();

        Presence(Plan.Presence plan, String name) {
            column = plan.column();
            this.name = name;
            boolean isEnum = plan.type().kind().equals("choice");
            bits = isEnum ? 0 : plan.type().kind().equals("whole") ? plan.type().bits() : 65;
            if (isEnum) new EnumNames(plan.type()).numbers.forEach((each, number) -> names.put(number, UTF8String.fromString(each)));
        }

        Object value(int number) {
            if (bits == 0) return names.get(number);
            return bits == 65 ? Decimal.createUnsafe(number, 20, 0) : NumberReaders.boxed(number, bits);
        }

        /** A field of the oneof was read. */
        void set(Object[] row, int first, int number) {
            if (row[first + column] != null) {
                throw new BadValue("Invalid protobuf data: OneOf has more than one value to track via column `" + name + "`");
            }
            row[first + column] = value(number);
        }

        void finish(Object[] row, int first) {
            if (row[first + column] == null) row[first + column] = value(0);
        }
    }

    /** A field of a oneof that a column tells of. */
    private static final class Told extends Slot {
        private final Slot slot;
        private final Presence presence;
        private final int number;

        Told(Slot slot, Presence presence, int number) {
            this.slot = slot;
            this.presence = presence;
            this.number = number;
        }

        @Override
        void read(ProtoCursor in, int key, Object[] row, int first) {
            slot.read(in, key, row, first);
            presence.set(row, first, number);
        }

        @Override
        void finish(Object[] row, int first) {
            slot.finish(row, first);
        }
    }
}
