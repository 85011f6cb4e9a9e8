package sluice.scan;

/** A place in lines of fields. */
public final class FieldCursor extends Cursor {
    public int[] order; // the columns of the fields
    public int rows; // that have begun, those of a header among them
    public boolean inQuotes;
    public boolean inArray; // whether the fields are those of an array, which is a field itself

    public FieldCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }

    /** Of what a field has been read as. */
    public FieldCursor(Cursor field) {
        super(field.text, field.from, field.to);
    }
}
