package sluice.protobuf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import sluice.scan.BadValue;

/** Fields whose values hold values. */
final class NestedFields {
    private static final Object[] NOTHING = {};

    private NestedFields() {}

    /** An array: what is held is a list. */
    static final class ArrayValue extends FieldReader {
        private final FieldReader item;
        private final boolean nullable;

        ArrayValue(FieldReader item, boolean nullable) {
            this.item = item;
            this.nullable = nullable;
        }

        @Override
        Object read(ProtoCursor in, int wire, Object before) {
            @SuppressWarnings("unchecked")
            List<Object> found = before == null ? new ArrayList<>() : (List<Object>) before;
            if (wire == ProtoCursor.BYTES && item instanceof ScalarReader scalar && scalar.type.packs()) {
                int outer = in.end;
                in.end = in.bytesEnd();
                while (in.at < in.end) found.add(scalar.value(in));
                in.end = outer;
            } else {
                found.add(item.done(item.read(in, wire, null)));
            }
            return found;
        }

        @Override
        Object done(Object held) {
            return new GenericArrayData(((List<?>) held).toArray());
        }

        @Override
        Object missing() {
            return nullable ? null : new GenericArrayData(NOTHING);
        }
    }

    /** A map; of a key that comes twice, the last counts. */
    static final class MapValue extends FieldReader {
        private final Struct entry;

        MapValue(Struct entry) {
            this.entry = entry;
        }

        @Override
        Object read(ProtoCursor in, int wire, Object before) {
            @SuppressWarnings("unchecked")
            Map<Object, Object> found = before == null ? new LinkedHashMap<>() : (Map<Object, Object>) before;
            Object[] pair = (Object[]) entry.read(in, wire, null);
            entry.message.finish(pair, 0);
            found.put(pair[0], pair[1]);
            return found;
        }

        @Override
        Object done(Object held) {
            Map<?, ?> found = (Map<?, ?>) held;
            return new ArrayBasedMapData(new GenericArrayData(found.keySet().toArray()), new GenericArrayData(found.values().toArray()));
        }

        @Override
        Object missing() {
            return done(Map.of());
        }
    }

    /** A message as a struct: what is held are its fields. */
    static class Struct extends FieldReader {
        final MessageReader message;
        private final boolean nullable;

        Struct(MessageReader message, boolean nullable) {
            this.message = message;
            this.nullable = nullable;
        }

        @Override
        final Object read(ProtoCursor in, int wire, Object before) {
            Object[] found = before == null ? new Object[message.columns] : (Object[]) before;
            message.within(in, wire, found, 0);
            return found;
        }

        @Override
        Object done(Object held) {
            Object[] found = (Object[]) held;
            message.finish(found, 0);
            return new GenericInternalRow(found);
        }

        @Override
        Object missing() {
            return nullable ? null : done(new Object[message.columns]);
        }
    }

    /** The only value of a message. */
    static final class Only extends Struct {
        private final Object otherwise;
        private final boolean present;

        /** {@code present}: without the message the value is {@code otherwise}, and not that of an empty one. */
        Only(MessageReader message, boolean present, Object otherwise) {
            super(message, false);
            this.present = present;
            this.otherwise = otherwise;
        }

        @Override
        Object done(Object held) {
            Object[] found = (Object[]) held;
            message.finish(found, 0);
            return found[0];
        }

        @Override
        Object missing() {
            return present ? otherwise : super.missing();
        }
    }

    /** A struct without names: a part of it for each occurrence. */
    static final class Parts extends FieldReader {
        private final FieldReader[] parts;
        private final String wrong;

        Parts(FieldReader[] parts, String wrong) {
            this.parts = parts;
            this.wrong = wrong;
        }

        @Override
        Object read(ProtoCursor in, int wire, Object before) {
            @SuppressWarnings("unchecked")
            List<Object> found = before == null ? new ArrayList<>() : (List<Object>) before;
            boolean packed = wire == ProtoCursor.BYTES && parts[0] instanceof ScalarReader scalar && scalar.type.packs();
            int outer = in.end;
            if (packed) in.end = in.bytesEnd();
            do {
                if (packed && in.at == in.end) break;
                if (found.size() == parts.length) throw new BadValue(wrong);
                FieldReader part = parts[found.size()];
                found.add(packed ? ((ScalarReader) part).value(in) : part.done(part.read(in, wire, null)));
            } while (packed);
            in.end = outer;
            return found;
        }

        @Override
        Object done(Object held) {
            Object[] found = ((List<?>) held).toArray(new Object[parts.length]);
            for (int i = ((List<?>) held).size(); i < found.length; i++) found[i] = parts[i].missing();
            return new GenericInternalRow(found);
        }

        @Override
        Object missing() {
            return done(List.of());
        }
    }
}
