package sluice.transcode;

import java.util.Collection;

/** Joins messages into files, one for each schema. */
interface Joiner {
    /** Schemas in a batch; of more, few have enough messages. */
    int MOST_FILES = 64;

    /** Join a message with those before it; whether it can be. A message that cannot changes nothing. */
    boolean add(int number, byte[] message);

    Collection<? extends JoinedFile> joined();
}
