package sluice.flink;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import sluice.values.Output;
import sluice.values.ScalarWriters;
import sluice.values.ValueWriter;

/** What a field says for each type, before anything is put in quotes. */
final class FlinkCsvWriters {
    private final byte[] between;
    private final byte[] nothing;
    private final boolean plain;

    /** Inside a field {@code nothing} stands for NULL; {@code plain}: numbers have no exponent. */
    FlinkCsvWriters(byte[] between, byte[] nothing, boolean plain) {
        this.between = between;
        this.nothing = nothing;
        this.plain = plain;
    }

    ValueWriter of(JsonNode type) {
        switch (type.get("kind").asText()) {
            case "whole": return new ScalarWriters.Whole(type.get("bits").asInt(), false);
            case "floating": return new FlinkWrite.Floating(type.get("bits").asInt() == 32);
            case "exact":
                return new FlinkWrite.Exact(type.get("precision").asInt(), type.get("scale").asInt(),
                    plain);
            case "bool": return new ScalarWriters.Bool("true", "false");
            case "text": return new ScalarWriters.Simple();
            case "bytes": return new FlinkWrite.Bytes();
            case "day": return new FlinkWrite.Day();
            case "clock": return new FlinkWrite.Clock();
            case "local": return new FlinkWrite.Moment(false, false);
            case "instant": return new FlinkWrite.Moment(false, true);
            case "items": return new Items(of(type.get("item")), between, nothing);
            case "parts":
                ValueWriter[] parts = new ValueWriter[type.get("items").size()];
                for (int i = 0; i < parts.length; i++) parts[i] = of(type.get("items").get(i));
                return new Parts(parts, between, nothing);
            default: throw new IllegalArgumentException("unknown kind of type: " + type);
        }
    }

    /** Whether values of a type may need quotes. */
    static boolean isText(JsonNode type) {
        String kind = type.get("kind").asText();
        return !kind.equals("whole") && !kind.equals("floating") && !kind.equals("exact")
            && !kind.equals("bool");
    }

    /** Several values in one field. */
    private abstract static class Several extends ValueWriter {
        private final byte[] between;
        private final byte[] nothing;

        Several(byte[] between, byte[] nothing) {
            this.between = between;
            this.nothing = nothing;
        }

        final void element(ValueWriter value, SpecializedGetters row, int at, Output out) {
            if (at > 0) out.put(between);
            if (row.isNullAt(at)) out.put(nothing);
            else value.plain(row, at, out);
        }
    }

    private static final class Items extends Several {
        private final ValueWriter item;

        Items(ValueWriter item, byte[] between, byte[] nothing) {
            super(between, nothing);
            this.item = item;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            ArrayData items = row.getArray(at);
            for (int i = 0; i < items.numElements(); i++) element(item, items, i, out);
        }
    }

    private static final class Parts extends Several {
        private final ValueWriter[] parts;

        Parts(ValueWriter[] parts, byte[] between, byte[] nothing) {
            super(between, nothing);
            this.parts = parts;
        }

        @Override
        public void plain(SpecializedGetters row, int at, Output out) {
            InternalRow inner = row.getStruct(at, parts.length);
            for (int i = 0; i < parts.length; i++) element(parts[i], inner, i, out);
        }
    }
}
