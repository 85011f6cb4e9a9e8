package sluice.binary;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.binary.PackCursor.Kind;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;
import sluice.values.ValueReader;
import sluice.values.ValueReaders;

/** Makes the values of a table's types as objects of MessagePack. */
final class PackValues {
    private final Settings settings;
    private final BinaryValues bytes;
    private final ValueReaders texts;
    private final boolean strict;

    PackValues(Settings settings) {
        this.settings = settings;
        bytes = new BinaryValues(settings, false);
        texts = new ValueReaders(settings, false);
        strict = !settings.flag("input_format_null_as_default");
    }

    /** The values of a type. */
    PackValue of(TypeSpec type) {
        PackValue found = made(type);
        found.takeNull(type.takesNull(), strict);
        return found;
    }

    private PackValue made(TypeSpec type) {
        String name = type.name();
        switch (type.kind()) {
            case "floating": return new Floating(name, type.bits() == 32);
            case "text": return new Text(name);
            case "fixed": return new Fixed(name, type.json().get("length").asInt());
            case "uuid": return new Uuid(name, texts.of(type), settings.text("output_format_msgpack_uuid_representation"));
            case "items": return new ArrayValue(name, of(type.inner("item")));
            case "pairs": return new MapValue(name, of(type.inner("key")), of(type.inner("value")));
            case "parts": return new StructValue(name, type.fields().stream().map(field -> of(field.type())).toList());
            default:
                BinaryValue found = bytes.bare(type);
                if (found instanceof BinaryNumber number) return new IntValue(name, number, ticks(type));
                if (found instanceof BinaryBytes wide) return new Bytes(name, wide);
                throw type.unknown();
        }
    }

    /** Whether a type is DateTime64, whose numbers are written without a sign. */
    static boolean ticks(TypeSpec type) {
        if (type.kind().equals("instant")) return type.precision() >= 0;
        return type.json().path("type").asText().startsWith("DateTime64");
    }

    /** A number of at most 64 bits. */
    private static final class IntValue extends PackValue {
        private final BinaryNumber number;
        private final boolean ticks;

        IntValue(String type, BinaryNumber number, boolean ticks) {
            super(type, number.zero());
            this.number = number;
            this.ticks = ticks;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.INTEGER) throw wrong(in);
            if (!ticks && !number.fits(in.number, in.large)) {
                String shown = in.large ? Long.toUnsignedString(in.number) : Long.toString(in.number);
                throw number.outOfRange(shown, in.at);
            }
            return number.held(in.number, in.at);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            long found = number.cut(number.number(row, at));
            if (ticks || number.isUnsigned()) unsigned(found, out);
            else integer(found, out);
        }
    }

    /** A floating point number. */
    private static final class Floating extends PackValue {
        private final boolean small;

        Floating(String type, boolean small) {
            super(type, small ? (Object) 0f : (Object) 0d);
            this.small = small;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != (small ? Kind.FLOAT32 : Kind.FLOAT64)) throw wrong(in);
            return small ? (Object) Float.intBitsToFloat((int) in.number) : (Object) Double.longBitsToDouble(in.number);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            if (small) tagged(0xCA, Float.floatToRawIntBits(row.getFloat(at)), 4, out);
            else tagged(0xCB, Double.doubleToRawLongBits(row.getDouble(at)), 8, out);
        }
    }

    /** Any bytes. */
    private static final class Text extends PackValue {
        Text(String type) {
            super(type, UTF8String.EMPTY_UTF8);
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.STRING && in.kind != Kind.BINARY) throw wrong(in);
            return UTF8String.fromBytes(in.text, in.from, in.to - in.from);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            UTF8String text = row.getUTF8String(at);
            binary(text.numBytes(), out);
            out.put(text);
        }
    }

    /** So many bytes, filled up with zeros. */
    private static final class Fixed extends PackValue {
        private final int length;

        Fixed(String type, int length) {
            super(type, UTF8String.fromBytes(new byte[length]));
            this.length = length;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.STRING && in.kind != Kind.BINARY) throw wrong(in);
            if (in.to - in.from > length) throw new BadValue("Too large string for FixedString column");
            return UTF8String.fromBytes(Arrays.copyOf(Arrays.copyOfRange(in.text, in.from, in.to), length));
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            byte[] text = row.getUTF8String(at).getBytes();
            if (text.length > length) throw new IllegalArgumentException("Too large value for " + type);
            binary(length, out);
            out.put(Arrays.copyOf(text, length));
        }
    }

    /** Numbers of more than 64 bits, and addresses. */
    private static final class Bytes extends PackValue {
        private final BinaryBytes bytes;

        Bytes(String type, BinaryBytes bytes) {
            super(type, bytes.zero());
            this.bytes = bytes;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.BINARY) throw wrong(in);
            if (in.to - in.from != bytes.width) throw wrongSize(in.to - in.from);
            return bytes.held(in.text, in.from);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            binary(bytes.width, out);
            bytes.write(row, at, out);
        }
    }

    /** A UUID: an extension, its two numbers, or its text. */
    private static final class Uuid extends PackValue {
        private static final byte EXTENSION = 2;
        private static final int WIDTH = 16;
        private final ValueReader text;
        private final String written;

        Uuid(String type, ValueReader text, String written) {
            super(type, UTF8String.fromString("00000000-0000-0000-0000-000000000000"));
            this.text = text;
            this.written = written;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind == Kind.STRING) return text.text(in.text, in.from, in.to);
            if (in.kind != Kind.BINARY && in.kind != Kind.EXTENSION) throw wrong(in);
            boolean own = in.kind == Kind.EXTENSION;
            if (own && in.extension != EXTENSION) {
                throw new BadValue("Unsupported MsgPack extension type: " + Integer.toHexString(in.extension & 0xFF));
            }
            if (in.to - in.from != WIDTH) throw wrongSize(in.to - in.from);
            return own ? BinaryBytes.Uuid.text(PackCursor.eight(in.text, in.from), PackCursor.eight(in.text, in.from + 8))
                : BinaryBytes.Uuid.text(BinaryCursor.eight(in.text, in.from), BinaryCursor.eight(in.text, in.from + 8));
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            UTF8String uuid = row.getUTF8String(at);
            long[] halves = BinaryBytes.Uuid.halves(uuid);
            switch (written) {
                case "str":
                    tagged(0xD9, uuid.numBytes(), 1, out);
                    out.put(uuid);
                    break;
                case "bin":
                    binary(WIDTH, out);
                    out.putLowLong(halves[0]);
                    out.putLowLong(halves[1]);
                    break;
                default:
                    out.put(0xD8);
                    tagged(EXTENSION, halves[0], 8, out);
                    for (int shift = 56; shift >= 0; shift -= 8) out.put((int) (halves[1] >>> shift));
            }
        }
    }

    /** An array. */
    private static final class ArrayValue extends PackValue {
        private final PackValue item;

        ArrayValue(String type, PackValue item) {
            super(type, new GenericArrayData(new Object[0]));
            this.item = item;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.ARRAY) throw wrong(in);
            Object[] found = new Object[in.count];
            for (int i = 0; i < found.length; i++) found[i] = item.read(in);
            return new GenericArrayData(found);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            ArrayData items = row.getArray(at);
            holder(0x90, 0xDC, items.numElements(), out);
            Putter.items(items, item, out);
        }
    }

    /** A map; of a key that comes twice the last counts. */
    private static final class MapValue extends PackValue {
        private final PackValue key;
        private final PackValue value;

        MapValue(String type, PackValue key, PackValue value) {
            super(type, BinaryNested.MapValue.map(new Object[0], new Object[0]));
            this.key = key;
            this.value = value;
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.MAP) throw wrong(in);
            int count = in.count;
            Map<Object, Object> found = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) found.put(key.read(in), value.read(in));
            return BinaryNested.MapValue.map(found.keySet().toArray(), found.values().toArray());
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            MapData map = row.getMap(at);
            holder(0x80, 0xDE, map.numElements(), out);
            Putter.pairs(map, key, value, out);
        }
    }

    /** A tuple: an array of as many objects. */
    private static final class StructValue extends PackValue {
        private final PackValue[] parts;

        StructValue(String type, List<PackValue> parts) {
            super(type, new GenericInternalRow(parts.stream().map(PackValue::zero).toArray()));
            this.parts = parts.toArray(new PackValue[0]);
        }

        @Override
        Object held(PackCursor in) {
            if (in.kind != Kind.ARRAY) throw wrong(in);
            if (in.count != parts.length) {
                throw new BadValue("Cannot insert MessagePack array with size " + in.count + " into Tuple column with "
                    + parts.length + " elements");
            }
            Object[] found = new Object[parts.length];
            for (int i = 0; i < found.length; i++) found[i] = parts[i].read(in);
            return new GenericInternalRow(found);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            holder(0x90, 0xDC, parts.length, out);
            Putter.parts(row.getStruct(at, parts.length), parts, out);
        }
    }
}
