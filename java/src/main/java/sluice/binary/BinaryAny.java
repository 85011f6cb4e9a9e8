package sluice.binary;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.binary.TypeTree.Part;
import sluice.scan.BadValue;
import sluice.values.FloatText;
import sluice.values.JsonDocuments;
import sluice.values.JsonTree;
import sluice.values.Output;
import sluice.values.TypeSpec;
import sluice.values.ValueWriter;

/** Reads values of types that only the message knows, as JSON. */
final class BinaryAny implements Serializable {
    private static final int MOST = 1000; // types that are remembered
    private static final int CODES = 1000; // of types in a type

    /** Reads a value and writes it as JSON. */
    interface Value extends Serializable {
        void json(BinaryCursor in, Output out);
    }

    /** A value of a type that a column could have. */
    record Known(BinaryValue value, ValueWriter writer) implements Value {
        @Override
        public void json(BinaryCursor in, Output out) {
            writer.jsonOrNull(new GenericInternalRow(new Object[] {value.read(in)}), 0, out);
        }
    }

    private final BinaryValues values;
    private final long longest;
    private final long most;
    private final long paths;
    private final Map<TypeTree, Known> known = new ConcurrentHashMap<>();

    /** Texts have so many bytes at most, arrays so many items, and objects so many paths. */
    BinaryAny(BinaryValues values, long longest, long most, long paths) {
        this.values = values;
        this.longest = longest;
        this.most = most;
        this.paths = paths;
    }

    /** A value of a type that a column could have. */
    Known known(TypeSpec type) {
        return new Known(values.of(type), JsonDocuments.writers().of(type));
    }

    /** Read an object by its paths, of which some have a type. */
    void object(BinaryCursor in, Map<String, ? extends Value> typed, Output out) {
        int first = in.at;
        long count = in.number();
        if (Long.compareUnsigned(count, paths) > 0) {
            throw new BadValue("Too large object size: " + Long.toUnsignedString(count) + ". The maximum is: " + paths
                + ". To increase the maximum, use setting format_binary_max_object_size (at byte " + first + ")");
        }
        out.put('{');
        for (long i = 0; i < count; i++) {
            if (i > 0) out.put(',');
            in.string(longest);
            UTF8String path = UTF8String.fromBytes(in.text, in.from, in.to - in.from);
            JsonTree.quoted(path, out);
            out.put(':');
            Value type = typed.isEmpty() ? null : typed.get(path.toString());
            if (type != null) type.json(in, out);
            else dynamic(in, out);
        }
        out.put('}');
    }

    /** Read a value after its type. */
    void dynamic(BinaryCursor in, Output out) {
        json(TypeBytes.read(in, CODES), in, out);
    }

    private void json(TypeTree type, BinaryCursor in, Output out) {
        in.enter();
        switch (type.name()) {
            case "Nothing": out.put("null"); break;
            case "Nullable":
                if (in.one() != 0) out.put("null");
                else json(type.inner(0), in, out);
                break;
            case "LowCardinality": json(type.inner(0), in, out); break;
            case "Array": list(type.inner(0), in, out); break;
            case "Dynamic": dynamic(in, out); break;
            case "JSON": object(in, typed(type), out); break;
            case "Float32": real(Float.intBitsToFloat(in.four()), in, out); break;
            case "Float64": real(Double.longBitsToDouble(in.eight()), in, out); break;
            default: leaf(type).json(in, out);
        }
        in.leave();
    }

    private void list(TypeTree item, BinaryCursor in, Output out) {
        int count = in.count(most, item.name().equals("Nothing") ? 0 : 1);
        out.put('[');
        for (int i = 0; i < count; i++) {
            if (i > 0) out.put(',');
            json(item, in, out);
        }
        out.put(']');
    }

    private Map<String, Value> typed(TypeTree object) {
        Map<String, Value> found = new HashMap<>();
        for (Part part : object.parts()) {
            if (part.type() != null) found.put(part.name(), (in, out) -> json(part.type(), in, out));
        }
        return found;
    }

    /** A number that is read back as one with a fraction. */
    private static void real(double value, BinaryCursor in, Output out) {
        if (value - value != 0) {
            out.put(value != value ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
            return;
        }
        int first = out.size;
        FloatText.write(value, out);
        String text = new String(out.bytes, first, out.size - first, StandardCharsets.US_ASCII);
        if (text.indexOf('.') < 0 && text.indexOf('e') < 0) out.put(".0");
    }

    private Known leaf(TypeTree type) {
        Known found = known.get(type);
        if (found != null) return found;
        if (known.size() >= MOST) known.clear();
        try {
            found = known(TypeSpecs.of(type));
        } catch (IllegalArgumentException | DateTimeException noText) { // no column has it, no time zone
            throw BinaryValues.unread(type.toString());
        }
        known.put(type, found);
        return found;
    }
}
