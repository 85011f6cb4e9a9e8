package sluice.binary;

import java.io.Serializable;

/** What the fields of a message's rows are: of each its column, or that it is skipped, and its values. */
record Fields(int[] columns, BinaryValue[] values) implements Serializable {}
