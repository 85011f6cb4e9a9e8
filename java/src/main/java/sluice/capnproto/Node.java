package sluice.capnproto;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.capnproto.Message.Elements;
import sluice.capnproto.Message.Place;
import sluice.capnproto.Schema.Field;
import sluice.capnproto.Schema.Kind;
import sluice.errors.ConditionException;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.TypeSpec;

/** A value of a column, in a field: it is made RowBinary of, and of RowBinary. */
abstract class Node implements java.io.Serializable {
    final Field field;
    final int offset;

    Node(Field field) {
        this.field = field;
        this.offset = field.offset();
    }

    abstract void read(Message in, Place place, Output out);

    abstract void write(RowBytes in, Builder.Spot spot, Builder out);

    /** How many values are in it that each visit it. */
    int leaves() {
        return 1;
    }

    static Node scalar(Field field, Scalars scalar, String type, String column) {
        switch (scalar.form()) {
            case INTEGER:
            case FLAG: return new IntValue(field, scalar, type, column);
            case REAL: return new Real(field, scalar.width());
            case EXACTLY: return new Same(field, scalar.width());
            default: return new Blob(field, scalar, type);
        }
    }

    static ConditionException unwritten(String reason, String column) {
        return ConditionException.ofExpression("VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE", Map.of("reason", "Column " + column + ": " + reason));
    }

    /** A number whose bits are the same in both. */
    private static final class Same extends Node {
        private final int width;

        Same(Field field, int width) {
            super(field);
            this.width = width;
        }

        @Override
        void read(Message in, Place place, Output out) {
            out.putLow(in.field(place, offset, 8 * width) ^ field.given(), width);
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            out.field(spot, offset, 8 * width, in.number(width, false) ^ field.given());
        }
    }

    /** An integer or a flag, in a field of any integer. */
    private static final class IntValue extends Node {
        private final Kind kind;
        private final Scalars scalar;
        private final String type;
        private final String column;
        private final boolean flag;
        private final boolean signed;

        IntValue(Field field, Scalars scalar, String type, String column) {
            super(field);
            kind = field.type().kind();
            this.scalar = scalar;
            this.type = type;
            this.column = column;
            flag = scalar.form() == Scalars.Form.FLAG;
            signed = scalar.low() < 0;
        }

        @Override
        void read(Message in, Place place, Output out) {
            long found = in.field(place, offset, kind.width) ^ field.given();
            if (kind.isSigned()) found = found << 64 - kind.width >> 64 - kind.width;
            if (flag) {
                out.put(found == 0 ? 0 : 1);
                return;
            }
            boolean negative = found < 0 && kind.isSigned();
            boolean huge = found < 0 && !kind.isSigned();
            boolean fits = scalar.high() == -1 ? !negative : !huge && found >= scalar.low() && found <= scalar.high();
            if (!fits) throw new BadValue("Value " + (huge ? Long.toUnsignedString(found) : found) + " of type " + kind.word() + " is out of range of " + type);
            out.putLow(found, scalar.width());
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            long value = in.number(scalar.width(), signed);
            if (kind == Kind.BOOL) value = value == 0 ? 0 : 1;
            boolean large = scalar.high() == -1 && value < 0; // of UInt64
            long cut = kind.isSigned() ? value << 64 - kind.width >> 64 - kind.width
                : kind.width == 64 ? value : value & (1L << kind.width) - 1;
            boolean fits = kind.width == 64 ? kind.isSigned() ? !large : value >= 0 || large : cut == value && !large;
            if (!fits) {
                throw unwritten("value " + (large ? Long.toUnsignedString(value) : value) + " of type " + type
                    + " is out of range of the field's type " + kind.word(), column);
            }
            out.field(spot, offset, kind.width, value ^ field.given());
        }
    }

    /** A floating-point number, in a field of either kind. */
    private static final class Real extends Node {
        private final int width;
        private final int kind;

        Real(Field field, int width) {
            super(field);
            this.width = 8 * width;
            kind = field.type().kind().width;
        }

        private static long converted(long bits, int from, int to) {
            if (from == to) return bits;
            if (from == 32) return Double.doubleToRawLongBits(Float.intBitsToFloat((int) bits));
            return Float.floatToRawIntBits((float) Double.longBitsToDouble(bits)) & 0xffffffffL;
        }

        @Override
        void read(Message in, Place place, Output out) {
            out.putLow(converted(in.field(place, offset, kind) ^ field.given(), kind, width), width / 8);
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            out.field(spot, offset, kind, converted(in.number(width / 8, false), width, kind) ^ field.given());
        }
    }

    /** A value of an enum. */
    static final class EnumValue extends Node {
        private final Map<Integer, Integer> ours;
        private final Map<Integer, Integer> theirs = new HashMap<>();
        private final int width;
        private final String type;
        private final String column;

        /** {@code ours}: the numbers of a column's values by those of the schema. */
        EnumValue(Field field, TypeSpec type, Map<Integer, Integer> ours, String column) {
            super(field);
            this.ours = ours;
            ours.forEach((from, to) -> theirs.put(to, from));
            width = type.json().path("bits").asInt(8) / 8;
            this.type = type.name();
            this.column = column;
        }

        @Override
        void read(Message in, Place place, Output out) {
            int number = (int) (in.field(place, offset, 16) ^ field.given());
            Integer found = ours.get(number);
            if (found == null) throw new BadValue("Unexpected value " + number + " in CapnProto enum, for " + type);
            out.putLow(found, width);
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            int number = (int) in.number(width, true);
            Integer found = theirs.get(number);
            if (found == null) throw unwritten("value " + number + " of " + type + " is not in the field's enum", column);
            out.field(spot, offset, 16, found ^ field.given());
        }
    }

    /** Bytes that a pointer leads to: a text, data, or a number too long for a field. */
    private static final class Blob extends Node {
        private final boolean text;
        private final Scalars scalar;
        private final String type;

        Blob(Field field, Scalars scalar, String type) {
            super(field);
            text = field.type().kind() == Kind.TEXT;
            this.scalar = scalar;
            this.type = type;
        }

        @Override
        void read(Message in, Place place, Output out) {
            long found = in.blob(place, offset, text);
            int from = (int) (found >>> 32);
            int length = (int) found - from;
            switch (scalar.form()) {
                case TEXT:
                    out.putVarint(length);
                    break;
                case FIXED:
                    if (length > scalar.width()) throw new BadValue("Cannot read data with size " + length + " to " + type);
                    break;
                default:
                    if (length != scalar.width()) throw new BadValue("Unexpected size of " + type + " value: " + length);
            }
            out.put(in.bytes, from, length);
            if (scalar.form() == Scalars.Form.FIXED) {
                for (int i = length; i < scalar.width(); i++) out.put(0);
            }
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            int length = scalar.form() == Scalars.Form.TEXT ? in.count() : scalar.width();
            out.blob(spot.pointers() + 8 * offset, in.bytes, in.at, length, text);
            in.at += length;
        }
    }

    /** A struct, or a group of fields in the struct around it. */
    static final class Inner extends Node {
        private final Node[] parts;

        Inner(Field field, List<Node> parts) {
            super(field);
            this.parts = parts.toArray(new Node[0]);
        }

        @Override
        int leaves() {
            int found = 1;
            for (Node each : parts) found += each.leaves();
            return found;
        }

        @Override
        void read(Message in, Place place, Output out) {
            each(in, field.group() ? place : in.struct(place, offset), out);
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            each(in, inside(field, spot, out), out);
        }

        private void each(Message in, Place place, Output out) {
            for (Node part : parts) part.read(in, place, out);
        }

        /** Read a row, whose columns have these names. */
        void row(Message in, Place place, Output out, String[] names) {
            int i = 0;
            try {
                for (; i < parts.length; i++) parts[i].read(in, place, out);
            } catch (BadValue bad) {
                throw bad.at("column", names[i]);
            }
        }

        void each(RowBytes in, Builder.Spot spot, Builder out) {
            for (Node part : parts) part.write(in, spot, out);
        }
    }

    private static Builder.Spot inside(Field field, Builder.Spot spot, Builder out) {
        if (field.group()) return spot;
        return out.struct(spot.pointers() + 8 * field.offset(), field.type().struct());
    }

    /** A value or NULL: a union of the value and of nothing. */
    static final class Optional extends Node {
        private final Node value;
        private final int given;
        private final int none;
        private final int at;

        Optional(Field field, Node value, int given, int none) {
            super(field);
            this.value = value;
            this.given = given;
            this.none = none;
            at = field.type().struct().at;
        }

        @Override
        int leaves() {
            return 1 + value.leaves();
        }

        @Override
        void read(Message in, Place place, Output out) {
            Place inside = field.group() ? place : in.struct(place, offset);
            int choice = (int) in.field(inside, at, 16);
            if (choice != none && choice != given) throw new BadValue("The union has a field with the number " + choice + ", which its schema has not");
            out.put(choice == none ? 1 : 0);
            if (choice == given) value.read(in, inside, out);
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            Builder.Spot inside = inside(field, spot, out);
            boolean isNull = in.bytes[in.at++] != 0;
            out.field(inside, at, 16, isNull ? none : given);
            if (!isNull) value.write(in, inside, out);
        }
    }

    /** A list. */
    static final class ArrayValue extends Node {
        private final Node item;
        private final String column;

        ArrayValue(Field field, Node item, String column) {
            super(field);
            this.item = item;
            this.column = column;
        }

        @Override
        int leaves() {
            return 1 + item.leaves();
        }

        @Override
        void read(Message in, Place place, Output out) {
            Elements found = in.list(place, offset, field.type().item());
            int count = found == null ? 0 : found.count();
            out.putVarint(count);
            for (int i = 0; i < count; i++) item.read(in, found.element(i), out);
        }

        @Override
        void write(RowBytes in, Builder.Spot spot, Builder out) {
            int count = in.count();
            Builder.Items made = out.list(spot.pointers() + 8 * offset, count, field.type().item());
            if (made == null) throw unwritten("its array has another length than those of the columns that make one list with it", column);
            for (int i = 0; i < count; i++) item.write(in, made.element(i), out);
        }
    }
}
