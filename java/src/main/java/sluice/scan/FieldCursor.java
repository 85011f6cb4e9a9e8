package sluice.scan;

/** A place in lines of fields. */
public final class FieldCursor extends Cursor {
    public int[] order; // the columns of the fields
    public boolean inQuotes;

    public FieldCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }
}
