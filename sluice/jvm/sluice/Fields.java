package sluice;

/** A place in lines of fields. */
final class Fields extends Cursor {
    int[] order; // the columns of the fields
    boolean inQuotes;

    Fields(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }
}
