package sluice.transcode;

import com.google.flatbuffers.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Map;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import sluice.scan.BadValue;
import sluice.values.Output;

/** The schema of Arrow messages: how the values of its columns are laid out, and what tells it from other schemas. */
final class ArrowSchema {
    private static final int DEPTH = 32, MOST = 1000;

    enum Layout { NULLS, BITS, FIXED, BYTES, LIST, STRUCT }

    /** A column, or one inside of another; {@code width} is that of a value or of an offset in bytes. */
    record Column(Layout layout, int width, int children) {}

    /** Those that have others inside are before them. */
    final List<Column> columns = new ArrayList<>();
    final int fields;
    private final Output key = new Output();
    private final Effort effort;

    ArrowSchema(Schema schema, Effort effort) {
        this.effort = effort;
        if (schema == null || schema.endianness() != Endianness.Little) throw bad();
        fields = schema.fieldsLength();
        for (int n = 0; n < schema.customMetadataLength(); n++) metadata(schema.customMetadata(n));
        for (int n = 0; n < fields; n++) field(schema.fields(n), 0);
        if (columns.isEmpty()) throw bad();
    }

    /** What is equal in messages that are joined. */
    byte[] key() {
        return key.message();
    }

    static BadValue bad() {
        return new BadValue("It is no message of Arrow that can be joined");
    }

    private void field(Field field, int depth) {
        if (depth > DEPTH || columns.size() == MOST || field.dictionary() != null) throw bad();
        text(field.nameAsByteBuffer());
        number(field.nullable() ? 1 : 0);
        for (int n = 0; n < field.customMetadataLength(); n++) metadata(field.customMetadata(n));
        number(field.typeType());
        int children = field.childrenLength();
        number(children);
        columns.add(column(field, children));
        for (int n = 0; n < children; n++) field(field.children(n), depth + 1);
    }

    private Column column(Field field, int children) {
        Column found = switch (field.typeType()) {
            case Type.Null -> new Column(Layout.NULLS, 0, 0);
            case Type.Bool -> new Column(Layout.BITS, 0, 0);
            case Type.Int -> {
                Int type = typed(field, new Int());
                number(type.isSigned() ? 1 : 0);
                yield fixed(type.bitWidth());
            }
            case Type.FloatingPoint -> fixed(16 << typed(field, new FloatingPoint()).precision());
            case Type.Decimal -> {
                Decimal type = typed(field, new Decimal());
                number(type.precision());
                number(type.scale());
                yield fixed(type.bitWidth());
            }
            case Type.Date -> fixed(32 << number(typed(field, new Date()).unit()));
            case Type.Time -> {
                Time type = typed(field, new Time());
                number(type.unit());
                yield fixed(type.bitWidth());
            }
            case Type.Timestamp -> {
                Timestamp type = typed(field, new Timestamp());
                number(type.unit());
                text(type.timezoneAsByteBuffer());
                yield fixed(64);
            }
            case Type.FixedSizeBinary -> {
                int width = typed(field, new FixedSizeBinary()).byteWidth();
                if (width <= 0 || width > Effort.OF_MESSAGE) throw bad();
                number(width);
                yield new Column(Layout.FIXED, width, 0);
            }
            case Type.Utf8, Type.Binary -> new Column(Layout.BYTES, 4, 0);
            case Type.LargeUtf8, Type.LargeBinary -> new Column(Layout.BYTES, 8, 0);
            case Type.List -> new Column(Layout.LIST, 4, 1);
            case Type.LargeList -> new Column(Layout.LIST, 8, 1);
            case Type.Map -> {
                number(typed(field, new Map()).keysSorted() ? 1 : 0);
                yield new Column(Layout.LIST, 4, 1);
            }
            case Type.Struct_ -> new Column(Layout.STRUCT, 0, children);
            default -> throw bad();
        };
        if (found.children != children || children < 0) throw bad();
        return found;
    }

    private Column fixed(int bits) {
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128 && bits != 256) throw bad();
        number(bits);
        return new Column(Layout.FIXED, bits / 8, 0);
    }

    private static <T extends Table> T typed(Field field, T type) {
        if (field.type(type) == null) throw bad();
        return type;
    }

    private void metadata(KeyValue pair) {
        text(pair.keyAsByteBuffer());
        text(pair.valueAsByteBuffer());
    }

    private void text(ByteBuffer text) {
        int size = text == null ? -1 : text.remaining();
        effort.take(8 + Math.max(0, size));
        number(size);
        if (size <= 0) return;
        key.room(size);
        text.get(key.bytes, key.size, size);
        key.size += size;
    }

    private int number(int number) {
        effort.take(4);
        key.putLowInt(number);
        return number;
    }
}
