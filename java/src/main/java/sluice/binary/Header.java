package sluice.binary;

/** What the rows of a message have: for each field its column, or -1, and its values. */
record Header(int[] columns, BinaryValue[] values) {
    static final int SKIPPED = -1;
}
