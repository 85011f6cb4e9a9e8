package sluice.transcode;

import sluice.values.Output;

/** The row groups of a Parquet file that is joined from messages. */
interface RowGroups {
    /** Add those of a message, whose list begins at a position of the footer; how many rows they have. */
    int add(byte[] message, int list, int footer);

    /** How many bytes there are already, for {@link #reset}. */
    int[] mark();

    /** Forget what has been added since. */
    void reset(int[] mark);

    /** Put the pages into a file, which has nothing yet. */
    void pages(Output file);

    /** How many row groups there are. */
    int count();

    /** The row groups as the footer tells of them, when the pages are there. */
    Output described();
}
