package sluice.flink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** The whole message as the value of one column: a text, bytes, or a number's own bytes. */
public final class FlinkRaw {
    private FlinkRaw() {}

    /** What a message is: the type's kind, its bytes if they are of a number, and its texts' charset. */
    private static final class Shape implements java.io.Serializable {
        final String type;
        final String kind;
        final int bytes;
        final String charset;
        final boolean big;

        Shape(String columns, Settings options) {
            TypeSpec only = TypeSpec.columns(columns).get(0).type();
            type = only.name();
            kind = only.kind();
            bytes = kind.equals("bool") ? 1 : only.json().path("bits").asInt() / 8;
            String given = options.text("charset");
            charset = given.equals("UTF-8") ? null : given;
            big = options.text("endianness").equals("big-endian");
        }

        ByteBuffer over(byte[] number) {
            return ByteBuffer.wrap(number).order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** From a message to the value; one that is NULL is a row too. */
    public static final class Read extends FlinkDecoder {
        private final Shape shape;

        public Read(String columns, Settings options) {
            super(columns, false);
            shape = new Shape(columns, options);
        }

        @Override
        public boolean takesNull() {
            return true;
        }

        @Override
        protected Object[] read(byte[] message) {
            Object[] row = empty();
            if (message != null) row[1] = value(message);
            return row;
        }

        @Override
        protected String failed(byte[] message) {
            return "";
        }

        private Object value(byte[] message) {
            switch (shape.kind) {
                case "text":
                    if (shape.charset == null) return UTF8String.fromBytes(message);
                    return UTF8String.fromString(new String(message, Charset.forName(shape.charset)));
                case "bytes": return message;
                default: return number(message);
            }
        }

        private Object number(byte[] message) {
            if (message.length != shape.bytes) {
                throw new BadValue("Size of data received for deserializing " + shape.type
                    + " type is not " + shape.bytes + ".");
            }
            ByteBuffer in = shape.over(message);
            if (shape.kind.equals("bool")) return message[0] != 0;
            if (shape.kind.equals("floating")) {
                return shape.bytes == 4 ? (Object) in.getFloat() : (Object) in.getDouble();
            }
            switch (shape.bytes) {
                case 1: return message[0];
                case 2: return in.getShort();
                case 4: return in.getInt();
                default: return in.getLong();
            }
        }
    }

    /** From the value to a message. */
    public static final class Write extends FlinkEncoder {
        private final Shape shape;

        public Write(String columns, Settings options) {
            shape = new Shape(columns, options);
        }

        @Override
        public byte[] row(InternalRow row) {
            if (row.isNullAt(0)) return null;
            switch (shape.kind) {
                case "text":
                    if (shape.charset == null) return row.getUTF8String(0).getBytes();
                    return row.getUTF8String(0).toString().getBytes(Charset.forName(shape.charset));
                case "bytes": return row.getBinary(0);
                default: return number(row);
            }
        }

        private byte[] number(InternalRow row) {
            byte[] bytes = new byte[shape.bytes];
            ByteBuffer out = shape.over(bytes);
            if (shape.kind.equals("bool")) {
                bytes[0] = (byte) (row.getBoolean(0) ? 1 : 0);
            } else if (shape.kind.equals("floating")) {
                if (shape.bytes == 4) out.putFloat(row.getFloat(0));
                else out.putDouble(row.getDouble(0));
            } else {
                switch (shape.bytes) {
                    case 1: bytes[0] = row.getByte(0); break;
                    case 2: out.putShort(row.getShort(0)); break;
                    case 4: out.putInt(row.getInt(0)); break;
                    default: out.putLong(row.getLong(0));
                }
            }
            return bytes;
        }
    }
}
