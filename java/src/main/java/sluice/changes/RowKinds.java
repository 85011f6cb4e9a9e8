package sluice.changes;

import org.apache.spark.unsafe.types.UTF8String;

/** What a row of a changelog does to its table. */
public final class RowKinds {
    public static final UTF8String INSERT = UTF8String.fromString("+I");
    public static final UTF8String UPDATE_BEFORE = UTF8String.fromString("-U");
    public static final UTF8String UPDATE_AFTER = UTF8String.fromString("+U");
    public static final UTF8String DELETE = UTF8String.fromString("-D");

    private RowKinds() {}

    /** Whether a kind removes a row; NULL is an insert. */
    static boolean removes(UTF8String kind) {
        if (kind == null || kind.equals(INSERT) || kind.equals(UPDATE_AFTER)) return false;
        if (kind.equals(DELETE) || kind.equals(UPDATE_BEFORE)) return true;
        throw new IllegalArgumentException("Unsupported operation '" + kind + "' for row kind.");
    }
}
