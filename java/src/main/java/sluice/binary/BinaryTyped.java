package sluice.binary;

import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.BadValue;
import sluice.values.Output;

/**
 * A value of type Variant or Dynamic as it is stored: the state of {@code any} over it in base64, whose bytes are a 1
 * and those of the value in RowBinary.
 *
 * <p>What would be written otherwise than it is read, and types that are rare in a Dynamic, are refused: ClickHouse
 * reads these messages.
 */
final class BinaryTyped extends BinaryValue {
    private static final int CODES = 100; // of types in a type
    private static final int MOST = 1000; // types that are remembered
    private static final int NO_KIND = 0xFF;
    private static final TypeTree NOTHING = TypeTree.of("Nothing");
    private static final Set<String> SCALARS = Set.of("Bool", "String", "FixedString", "UUID", "Date", "Date32", "DateTime",
        "DateTime64", "Decimal", "Float32", "Float64", "IPv4", "IPv6", "Int8", "Int16", "Int32", "Int64", "Int128", "Int256",
        "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256");

    private final BinaryValues values;
    private final BinaryValue[] kinds; // of a Variant; null for Dynamic
    private final Map<TypeTree, BinaryValue> known = new ConcurrentHashMap<>();

    /** Of the type that a column has. */
    BinaryTyped(String type, BinaryValues values) {
        super(type, 1, null);
        this.values = values;
        TypeTree tree = TypeParser.parse(type);
        kinds = !tree.name().equals("Variant") ? null
            : tree.parts().stream().map(kind -> values.of(TypeSpecs.of(kind.type()))).toArray(BinaryValue[]::new);
    }

    @Override
    Object read(BinaryCursor in) {
        int first = in.at;
        Output out = new Output();
        out.put(1);
        BinaryValue value = kinds == null ? dynamic(in, out) : variant(in, out);
        if (value != null) value.put(new GenericInternalRow(new Object[] {value.read(in)}), 0, out);
        if (!Arrays.equals(in.bytes, first, in.at, out.bytes, 1, out.size)) throw refused(first);
        return UTF8String.fromBytes(Base64.getEncoder().encode(out.message()));
    }

    private BinaryValue variant(BinaryCursor in, Output out) {
        int kind = in.one() & 0xFF;
        out.put(kind);
        if (kind == NO_KIND) return null;
        if (kind >= kinds.length) throw refused(in.at - 1);
        return kinds[kind];
    }

    private BinaryValue dynamic(BinaryCursor in, Output out) {
        int first = in.at;
        TypeTree kind = TypeBytes.read(in, CODES);
        BinaryValue found = kind.equals(NOTHING) ? null : known.get(kind);
        if (found == null && !kind.equals(NOTHING)) {
            if (!isCertain(kind)) throw refused(first);
            if (known.size() >= MOST) known.clear();
            found = values.of(TypeSpecs.of(kind));
            known.put(kind, found);
        }
        TypeBytes.write(kind, out);
        return found;
    }

    /** Whether ClickHouse has such a type, and no other name for it; one that is spelled in a message may lack any part. */
    private static boolean isCertain(TypeTree kind) {
        if (!kind.name().equals("Array")) return isScalar(kind);
        if (!hasInner(kind)) return false;
        TypeTree item = kind.inner(0);
        return isCertain(item) || item.name().equals("Nullable") && hasInner(item) && isScalar(item.inner(0));
    }

    private static boolean hasInner(TypeTree kind) {
        return kind.parts().size() == 1 && kind.inner(0) != null;
    }

    private static boolean isScalar(TypeTree kind) {
        boolean zoned = kind.name().startsWith("DateTime") && kind.parts().size() > (kind.name().equals("DateTime") ? 0 : 1);
        return SCALARS.contains(kind.name()) && !zoned;
    }

    private BadValue refused(int at) {
        return new BadValue("A value that is read by ClickHouse alone (at byte " + at + ")");
    }

    @Override
    void write(SpecializedGetters row, int at, Output out) {
        throw new UnsupportedOperationException(type);
    }
}
