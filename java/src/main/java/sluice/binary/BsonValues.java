package sluice.binary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.binary.BsonCursor.Kind;
import sluice.scan.BadValue;
import sluice.scan.NameTable;
import sluice.values.Escapes;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;
import sluice.values.ValueWriter;
import sluice.values.ValueWriters;

/** Makes the values of a table's types as fields of BSON. */
final class BsonValues {
    static final List<String> SUBTYPES = List.of("Binary", "Function", "Binary (Old)", "UUID (Old)", "UUID", "MD5",
        "Encrypted BSON value", "Compressed BSON column");
    private static final int GENERIC = 0, GENERIC_OLD = 2, UUID_OLD = 3, UUID = 4;
    private static final Set<Kind> INTEGERS = EnumSet.of(Kind.INT32, Kind.INT64, Kind.BOOL);
    private static final Set<Kind> TICKS = EnumSet.of(Kind.INT64, Kind.DATETIME);

    private final BinaryValues bytes;
    private final ValueReaders texts;
    private final ValueWriters writers;
    private final Escapes escapes;
    private final Kind text;
    private final boolean strict;

    BsonValues(Settings settings) {
        bytes = new BinaryValues(settings, false);
        texts = new ValueReaders(settings, false);
        writers = new ValueWriters(settings);
        escapes = Escapes.json(settings);
        text = settings.flag("output_format_bson_string_as_string") ? Kind.STRING : Kind.BINARY;
        strict = !settings.flag("input_format_null_as_default");
    }

    /** A name as ClickHouse writes it: escaped as in JSON. */
    byte[] name(String name) {
        Output out = new Output();
        out.put(BsonValue.name(name));
        out.size--;
        ended(out);
        return out.message();
    }

    private void ended(Output name) {
        ended(name, escapes);
    }

    private static void ended(Output name, Escapes escapes) {
        escapes.from(name, 0);
        name.repair();
        name.put(0);
    }

    /** The values of a type. */
    BsonValue of(TypeSpec type) {
        BsonValue found = made(type);
        found.takeNull(type.takesNull(), strict);
        return found;
    }

    private BsonValue made(TypeSpec type) {
        String name = type.name();
        switch (type.kind()) {
            case "floating": return new Floating(name, type.bits() == 32);
            case "text": return new Text(name, text);
            case "fixed": return new Fixed(name, text, type.json().get("length").asInt());
            case "uuid": return new Bytes(name, new BinaryBytes.Uuid(name), UUID, UUID_OLD);
            case "items": return new ArrayValue(name, of(type.inner("item")));
            case "pairs":
                TypeSpec key = type.inner("key");
                return new MapValue(name, texts.of(key), writers.of(key), escapes, of(type.inner("value")));
            case "parts":
                List<TypeSpec.Column> fields = type.fields();
                List<String> names = new ArrayList<>();
                for (TypeSpec.Column field : fields) names.add(type.isNamed() ? field.name() : Integer.toString(names.size() + 1));
                return new StructValue(name, type.isNamed(), names, names.stream().map(this::name).toArray(byte[][]::new),
                    fields.stream().map(field -> of(field.type())).toList());
            default:
                BinaryValue found = bytes.bare(type);
                if (found instanceof BinaryNumber number) return whole(type, number);
                if (found instanceof BinaryBytes wide) return new Bytes(name, wide, GENERIC, GENERIC);
                throw type.unknown();
        }
    }

    private static BsonValue whole(TypeSpec type, BinaryNumber number) {
        if (type.kind().equals("bool")) return new IntValue(type.name(), Kind.BOOL, INTEGERS, number);
        if (PackValues.ticks(type)) return new IntValue(type.name(), Kind.DATETIME, TICKS, number);
        boolean address = type.json().path("type").asText().equals("IPv4");
        boolean small = number.width < Integer.BYTES || number.width == Integer.BYTES && (address || !number.isUnsigned());
        Kind kind = small ? Kind.INT32 : Kind.INT64;
        boolean only = address || type.kind().equals("exact");
        return new IntValue(type.name(), kind, only ? EnumSet.of(kind) : INTEGERS, number);
    }

    /** A number of at most 64 bits. */
    private static final class IntValue extends BsonValue {
        private final Kind kind;
        private final Set<Kind> taken;
        private final BinaryNumber number;
        private final boolean isAddress;

        IntValue(String type, Kind kind, Set<Kind> taken, BinaryNumber number) {
            super(type, kind, number.zero());
            this.kind = kind;
            this.taken = taken;
            this.number = number;
            isAddress = kind == Kind.INT32 && number.width == Integer.BYTES && number.isUnsigned();
        }

        @Override
        Object held(BsonCursor in) {
            if (!taken.contains(in.kind)) throw wrong(in);
            long found = in.number();
            if (isAddress) found &= 0xFFFFFFFFL;
            boolean large = found < 0 && in.kind == Kind.INT64 && number.width == Long.BYTES && number.isUnsigned();
            if (kind != Kind.DATETIME && !number.fits(found, large)) throw number.outOfRange(found, in.at);
            return number.held(found, in.at);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            long found = number.cut(number.number(row, at));
            switch (kind) {
                case BOOL: out.put((int) found); break;
                case INT32: out.putLowInt((int) found); break;
                default: out.putLowLong(found);
            }
        }
    }

    /** A floating point number. */
    private static final class Floating extends BsonValue {
        private final boolean small;

        Floating(String type, boolean small) {
            super(type, Kind.DOUBLE, small ? (Object) 0f : (Object) 0d);
            this.small = small;
        }

        @Override
        Object held(BsonCursor in) {
            if (in.kind != Kind.DOUBLE) throw wrong(in);
            double found = Double.longBitsToDouble(in.number());
            return small ? (Object) (float) found : (Object) found;
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            out.putLowLong(Double.doubleToRawLongBits(small ? row.getFloat(at) : row.getDouble(at)));
        }
    }

    /** Any bytes. */
    private static class Text extends BsonValue {
        private final Kind kind;

        Text(String type, Kind kind) {
            this(type, kind, UTF8String.EMPTY_UTF8);
        }

        Text(String type, Kind kind, UTF8String zero) {
            super(type, kind, zero);
            this.kind = kind;
        }

        @Override
        final Object held(BsonCursor in) {
            switch (in.kind) {
                case STRING:
                case SYMBOL:
                case CODE: in.string(); break;
                case BINARY:
                    in.binary();
                    if (in.subtype != GENERIC && in.subtype != GENERIC_OLD) throw wrongSubtype(in);
                    break;
                case OBJECT_ID:
                    int first = in.take(BsonCursor.OBJECT_ID);
                    in.slice(first, in.at);
                    break;
                default: throw wrong(in);
            }
            return text(in);
        }

        Object text(BsonCursor in) {
            return UTF8String.fromBytes(in.text, in.from, in.to - in.from);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            text(row.getUTF8String(at).getBytes(), out);
        }

        final void text(byte[] text, Output out) {
            if (kind == Kind.BINARY) binary(text.length, GENERIC, out);
            else out.putLowInt(text.length + 1);
            out.put(text);
            if (kind != Kind.BINARY) out.put(0);
        }
    }

    /** So many bytes, filled up with zeros. */
    private static final class Fixed extends Text {
        private final int length;

        Fixed(String type, Kind kind, int length) {
            super(type, kind, UTF8String.fromBytes(new byte[length]));
            this.length = length;
        }

        @Override
        Object text(BsonCursor in) {
            if (in.to - in.from > length) throw new BadValue("Too large string for FixedString column");
            return UTF8String.fromBytes(Arrays.copyOf(Arrays.copyOfRange(in.text, in.from, in.to), length));
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            byte[] text = row.getUTF8String(at).getBytes();
            if (text.length > length) throw new IllegalArgumentException("Too large value for " + type);
            text(Arrays.copyOf(text, length), out);
        }
    }

    /** Numbers of more than 64 bits, addresses and UUIDs: binary data of a subtype, or of the one that it had before. */
    private static final class Bytes extends BsonValue {
        private final BinaryBytes bytes;
        private final int subtype;
        private final int before;

        Bytes(String type, BinaryBytes bytes, int subtype, int before) {
            super(type, Kind.BINARY, bytes.zero());
            this.bytes = bytes;
            this.subtype = subtype;
            this.before = before;
        }

        @Override
        Object held(BsonCursor in) {
            if (in.kind != Kind.BINARY) throw wrong(in);
            in.binary();
            if (in.subtype != subtype && in.subtype != before) throw wrongSubtype(in);
            if (in.to - in.from != bytes.width) throw wrongSize(in.to - in.from);
            return bytes.held(in.text, in.from);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            binary(bytes.width, subtype, out);
            bytes.write(row, at, out);
        }
    }

    /** An array, whose names nobody looks at. */
    private static final class ArrayValue extends BsonValue {
        private final BsonValue item;

        ArrayValue(String type, BsonValue item) {
            super(type, Kind.ARRAY, new GenericArrayData(new Object[0]));
            this.item = item;
        }

        @Override
        Object held(BsonCursor in) {
            if (in.kind != Kind.ARRAY) throw wrong(in);
            List<Object> found = new ArrayList<>();
            int outer = in.open();
            while (in.field()) found.add(item.read(in));
            in.close(outer);
            return new GenericArrayData(found.toArray());
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            ArrayData items = row.getArray(at);
            int first = open(out);
            for (int i = 0; i < items.numElements(); i++) item.put(name(i), items, i, out);
            close(first, out);
        }
    }

    /** A map: a document, whose names are the texts of keys; of one that comes twice the last counts. */
    private static final class MapValue extends BsonValue {
        private final ValueReader key;
        private final ValueWriter names;
        private final Escapes escapes;
        private final BsonValue value;

        MapValue(String type, ValueReader key, ValueWriter names, Escapes escapes, BsonValue value) {
            super(type, Kind.DOCUMENT, BinaryNested.MapValue.map(new Object[0], new Object[0]));
            this.key = key;
            this.names = names;
            this.escapes = escapes;
            this.value = value;
        }

        @Override
        Object held(BsonCursor in) {
            if (in.kind != Kind.DOCUMENT) throw wrong(in);
            Map<Object, Object> found = new LinkedHashMap<>();
            int outer = in.open();
            while (in.field()) {
                Object name = key.text(in.text, in.from, in.to);
                found.put(name, value.read(in));
            }
            in.close(outer);
            return BinaryNested.MapValue.map(found.keySet().toArray(), found.values().toArray());
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            MapData map = row.getMap(at);
            ArrayData keys = map.keyArray();
            ArrayData values = map.valueArray();
            Output name = new Output();
            int first = open(out);
            for (int i = 0; i < map.numElements(); i++) {
                name.size = 0;
                names.plain(keys, i, name);
                ended(name, escapes);
                value.put(name.message(), values, i, out);
            }
            close(first, out);
        }
    }

    /** A tuple: an array of as many values, or a document with their names. */
    private static final class StructValue extends BsonValue {
        private final NameTable names;
        private final byte[][] written;
        private final BsonValue[] parts;

        StructValue(String type, boolean named, List<String> names, byte[][] written, List<BsonValue> parts) {
            super(type, named ? Kind.DOCUMENT : Kind.ARRAY,
                new GenericInternalRow(parts.stream().map(BsonValue::zero).toArray()));
            this.names = new NameTable(names);
            this.written = written;
            this.parts = parts.toArray(new BsonValue[0]);
        }

        @Override
        Object held(BsonCursor in) {
            boolean named = in.kind == Kind.DOCUMENT;
            if (!named && in.kind != Kind.ARRAY) throw wrong(in);
            Object[] found = new Object[parts.length];
            boolean[] seen = new boolean[parts.length];
            int count = 0;
            int outer = in.open();
            for (; in.field(); count++) {
                int at = named ? names.find(in, count) : count;
                if (at < 0) throw bad("it has no element with the name \"" + BadValue.shown(in.text, in.from, in.to) + "\"");
                if (at >= parts.length) throw bad("the number of fields exceeds that of elements");
                if (seen[at]) throw bad("the element \"" + BadValue.shown(in.text, in.from, in.to) + "\" comes twice");
                seen[at] = true;
                found[at] = parts[at].read(in);
            }
            in.close(outer);
            if (count < parts.length) {
                throw bad("the number of fields and of elements doesn't match: " + parts.length + " != " + count);
            }
            return new GenericInternalRow(found);
        }

        private BadValue bad(String why) {
            return new BadValue("Cannot parse tuple column with type " + type + " from BSON array/embedded document field: " + why);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            InternalRow inner = row.getStruct(at, parts.length);
            int first = open(out);
            for (int i = 0; i < parts.length; i++) parts[i].put(written[i], inner, i, out);
            close(first, out);
        }
    }
}
