package sluice.protobuf;

import java.util.HashMap;
import java.util.Map;

/** What a field holds, and how that looks on the wire. */
enum FieldType {
    DOUBLE(1), FLOAT(5), INT64(0), UINT64(0), INT32(0), FIXED64(1), FIXED32(5), BOOL(0), STRING(2),
    BYTES(2), UINT32(0), SFIXED32(5), SFIXED64(1), SINT32(0), SINT64(0), ENUM(0), MESSAGE(2), GROUP(3);

    private static final Map<String, FieldType> SCALARS = new HashMap<>();

    static {
        for (FieldType type : values()) if (type.ordinal() < ENUM.ordinal()) SCALARS.put(type.word(), type);
    }

    /** The wire type of one value. */
    final int wire;

    FieldType(int wire) {
        this.wire = wire;
    }

    /** The scalar that a schema calls so, or null. */
    static FieldType scalar(String word) {
        return SCALARS.get(word);
    }

    /** How a schema calls it. */
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Whether many of them may stand in one field, one after another. */
    boolean packs() {
        return wire != ProtoCursor.BYTES && wire != ProtoCursor.GROUP;
    }

    boolean isText() {
        return this == STRING || this == BYTES;
    }

    boolean isMessage() {
        return this == MESSAGE || this == GROUP;
    }

    boolean isFloating() {
        return this == FLOAT || this == DOUBLE;
    }

    /** Whether a value of 64 bits has no sign. */
    boolean isUnsigned() {
        return this == UINT64 || this == FIXED64 || this == UINT32 || this == FIXED32 || this == BOOL;
    }
}
