package sluice.transcode;

import java.util.ArrayList;
import java.util.List;

/** Messages that ClickHouse reads as one file, with the number of rows of each. */
abstract class JoinedFile {
    /** Of a file: its rows become an object each. */
    static final int MOST_ROWS = 1 << 20;

    /** ClickHouse's name of the format of the file. */
    final String format;
    final List<Integer> messages = new ArrayList<>();
    final List<Integer> counts = new ArrayList<>();

    JoinedFile(String format) {
        this.format = format;
    }

    abstract byte[] bytes();
}
