package sluice.transcode;

import java.util.ArrayList;
import java.util.List;

/** Messages that ClickHouse reads as one file, with the number of rows of each. */
abstract class JoinedFile {
    /** Of a file: its rows become an object each. */
    static final int MOST_ROWS = 1 << 20;

    final List<Integer> messages = new ArrayList<>();
    final List<Integer> counts = new ArrayList<>();

    abstract byte[] bytes();
}
