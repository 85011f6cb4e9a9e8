package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Base64;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** How a value of one type is written into a field, before anything is put in quotes. */
abstract class FlinkCsvWriter implements Serializable {
    /** Write a value that is not NULL. */
    abstract void write(SpecializedGetters row, int at, Out out);

    /** Whether it may need quotes. */
    boolean isText() {
        return true;
    }

    /** For a column's type; inside a field {@code nothing} stands for NULL. */
    static FlinkCsvWriter of(JsonNode type, byte[] between, byte[] nothing, boolean plain) {
        switch (type.get("kind").asText()) {
            case "items": return new Items(scalar(type.get("item"), plain), between, nothing);
            case "parts":
                FlinkCsvWriter[] parts = new FlinkCsvWriter[type.get("items").size()];
                for (int i = 0; i < parts.length; i++) parts[i] = scalar(type.get("items").get(i), plain);
                return new Parts(parts, between, nothing);
            default: return scalar(type, plain);
        }
    }

    private static FlinkCsvWriter scalar(JsonNode type, boolean plain) {
        switch (type.get("kind").asText()) {
            case "exact":
                return new Exact(type.get("precision").asInt(), type.get("scale").asInt(), plain);
            case "whole": return new Scalar("whole" + type.get("bits").asInt(), false);
            case "floating": return new Scalar("floating" + type.get("bits").asInt(), false);
            case "bool": return new Scalar("bool", false);
            default: return new Scalar(type.get("kind").asText(), true);
        }
    }

    /** A value without values inside. */
    private static final class Scalar extends FlinkCsvWriter {
        private final String kind;
        private final boolean text;

        Scalar(String kind, boolean text) {
            this.kind = kind;
            this.text = text;
        }

        @Override
        boolean isText() {
            return text;
        }

        @Override
        void write(SpecializedGetters row, int at, Out out) {
            switch (kind) {
                case "whole8": out.put((long) row.getByte(at)); break;
                case "whole16": out.put((long) row.getShort(at)); break;
                case "whole32": out.put((long) row.getInt(at)); break;
                case "whole64": out.put(row.getLong(at)); break;
                case "floating32": out.put(Float.toString(row.getFloat(at))); break;
                case "floating64": out.put(Double.toString(row.getDouble(at))); break;
                case "bool": out.put(row.getBoolean(at) ? "true" : "false"); break;
                case "text": out.put(row.getUTF8String(at)); break;
                case "bytes": out.put(Base64.getEncoder().encode(row.getBinary(at))); break;
                case "day": FlinkCsvTimes.writeDay(row.getInt(at), out); break;
                case "clock": FlinkCsvTimes.writeClock(row.getUTF8String(at), out); break;
                case "local": FlinkCsvTimes.writeMoment(row.getLong(at), out); break;
                case "instant":
                    FlinkCsvTimes.writeMoment(row.getLong(at), out);
                    out.put('Z');
                    break;
                default: throw new IllegalArgumentException("unknown kind of type: " + kind);
            }
        }
    }

    /** An exact number: {@code 1E+5}, or {@code 100000.000} if it is to be plain. */
    private static final class Exact extends FlinkCsvWriter {
        private final int precision;
        private final int scale;
        private final boolean plain;

        Exact(int precision, int scale, boolean plain) {
            this.precision = precision;
            this.scale = scale;
            this.plain = plain;
        }

        @Override
        boolean isText() {
            return false;
        }

        @Override
        void write(SpecializedGetters row, int at, Out out) {
            BigDecimal number = row.getDecimal(at, precision, scale).toJavaBigDecimal();
            out.put(plain ? number.toPlainString() : number.stripTrailingZeros().toString());
        }
    }

    /** Several values in one field. */
    private abstract static class Nested extends FlinkCsvWriter {
        private final byte[] between;
        private final byte[] nothing;

        Nested(byte[] between, byte[] nothing) {
            this.between = between;
            this.nothing = nothing;
        }

        final void element(FlinkCsvWriter writer, SpecializedGetters row, int at, Out out) {
            if (at > 0) out.put(between);
            if (row.isNullAt(at)) out.put(nothing);
            else writer.write(row, at, out);
        }
    }

    private static final class Items extends Nested {
        private final FlinkCsvWriter item;

        Items(FlinkCsvWriter item, byte[] between, byte[] nothing) {
            super(between, nothing);
            this.item = item;
        }

        @Override
        void write(SpecializedGetters row, int at, Out out) {
            ArrayData items = row.getArray(at);
            for (int i = 0; i < items.numElements(); i++) element(item, items, i, out);
        }
    }

    private static final class Parts extends Nested {
        private final FlinkCsvWriter[] parts;

        Parts(FlinkCsvWriter[] parts, byte[] between, byte[] nothing) {
            super(between, nothing);
            this.parts = parts;
        }

        @Override
        void write(SpecializedGetters row, int at, Out out) {
            InternalRow inner = row.getStruct(at, parts.length);
            for (int i = 0; i < parts.length; i++) element(parts[i], inner, i, out);
        }
    }
}
