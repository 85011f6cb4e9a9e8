package sluice.capnproto;

import java.util.Map;
import java.util.Set;
import sluice.capnproto.Schema.Kind;
import sluice.values.TypeSpec;

/** How a value of one type is in a message: as a number of one kind, as any integer, or as bytes. */
record Scalars(Form form, Kind generated, int width, long low, long high) implements java.io.Serializable {
    /** The forms; {@code RAW} are bytes whose number is known. */
    enum Form { INTEGER, FLAG, REAL, EXACTLY, RAW, TEXT, FIXED }

    private static final Map<String, Scalars> BY_NAME = Map.ofEntries(
        integer("Int8", Kind.INT8), integer("UInt8", Kind.UINT8), integer("Int16", Kind.INT16),
        integer("UInt16", Kind.UINT16), integer("Int32", Kind.INT32), integer("UInt32", Kind.UINT32),
        integer("Int64", Kind.INT64), Map.entry("UInt64", new Scalars(Form.INTEGER, Kind.UINT64, 8, 0, -1)),
        Map.entry("Bool", new Scalars(Form.FLAG, Kind.BOOL, 1, 0, 1)),
        Map.entry("Float32", new Scalars(Form.REAL, Kind.FLOAT32, 4, 0, 0)),
        Map.entry("Float64", new Scalars(Form.REAL, Kind.FLOAT64, 8, 0, 0)),
        exactly("Date", Kind.UINT16), exactly("Date32", Kind.INT32), exactly("DateTime", Kind.UINT32),
        exactly("DateTime64", Kind.INT64), exactly("IPv4", Kind.UINT32),
        raw("IPv6", 16), raw("UUID", 16), raw("Int128", 16), raw("UInt128", 16), raw("Int256", 32), raw("UInt256", 32),
        Map.entry("String", new Scalars(Form.TEXT, Kind.DATA, 0, 0, 0)));

    private static final Set<Kind> BYTES = Set.of(Kind.TEXT, Kind.DATA);

    private static Map.Entry<String, Scalars> integer(String name, Kind kind) {
        long high = kind.isSigned() ? (1L << kind.width - 1) - 1 : (1L << kind.width) - 1;
        return Map.entry(name, new Scalars(Form.INTEGER, kind, kind.width / 8, kind.isSigned() ? -high - 1 : 0, high));
    }

    private static Map.Entry<String, Scalars> exactly(String name, Kind kind) {
        return Map.entry(name, new Scalars(Form.EXACTLY, kind, kind.width / 8, 0, 0));
    }

    private static Map.Entry<String, Scalars> raw(String name, int width) {
        return Map.entry(name, new Scalars(Form.RAW, Kind.DATA, width, 0, 0));
    }

    /** That of a type that holds no others. */
    static Scalars of(TypeSpec type, String column) {
        String head = type.name().replaceFirst("\\(.*", "");
        Scalars found = BY_NAME.get(head);
        if (found != null) return found;
        if (head.equals("FixedString")) return new Scalars(Form.FIXED, Kind.DATA, type.json().get("length").asInt(), 0, 0);
        if (head.startsWith("Decimal")) return decimal(type);
        throw Matching.error("Column \"" + column + "\": type " + type.name() + " is not supported in CapnProto format");
    }

    private static Scalars decimal(TypeSpec type) {
        if (!type.kind().equals("exact")) return new Scalars(Form.RAW, Kind.DATA, 32, 0, 0);
        if (type.precision() > 18) return new Scalars(Form.RAW, Kind.DATA, 16, 0, 0);
        boolean small = type.precision() <= 9;
        return new Scalars(Form.EXACTLY, small ? Kind.INT32 : Kind.INT64, small ? 4 : 8, 0, 0);
    }

    /** Whether a field may have it. */
    boolean fits(Kind kind) {
        switch (form) {
            case INTEGER:
            case FLAG: return kind.isWhole();
            case REAL: return kind == Kind.FLOAT32 || kind == Kind.FLOAT64;
            case EXACTLY: return kind == generated;
            case RAW: return kind == Kind.DATA;
            default: return BYTES.contains(kind);
        }
    }
}
