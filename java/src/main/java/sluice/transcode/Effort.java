package sluice.transcode;

import sluice.scan.BadValue;

/**
 * How many bytes and values of messages are decompressed and decoded.
 *
 * <p>What takes more is left to ClickHouse, which has limits for bombs: a message that large gains little.
 */
final class Effort {
    static final int OF_MESSAGE = 2 << 20;
    private static final int OF_ALL = 96 << 20;

    private int left = OF_ALL;
    private int ofMessage;

    void begin() {
        ofMessage = Math.min(OF_MESSAGE, left);
    }

    /** Before so much is decoded; nothing is allocated for more. */
    void take(long size) {
        if (size < 0 || size > ofMessage) throw new BadValue("A message with too much in it to be joined");
        ofMessage -= (int) size;
        left -= (int) size;
    }
}
