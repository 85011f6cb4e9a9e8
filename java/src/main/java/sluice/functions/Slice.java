package sluice.functions;

/** Which items ClickHouse's {@code substring} takes, counted from 0; the end is not among them. */
record Slice(int start, int end) {
    /** From an offset that counts from 1, or from the end; a negative count leaves so many out. */
    static Slice of(int length, long from, long count) {
        if (from == 0 && count >= 0) return new Slice(0, 0);
        long start = from > 0 ? from - 1 : from < 0 ? length + from : -1;
        long end = count < 0 ? length + count
            : count > Long.MAX_VALUE - Math.max(start, 0) ? length : start + count;
        start = Math.max(start, 0);
        end = Math.min(end, length);
        return start >= end ? new Slice(0, 0) : new Slice((int) start, (int) end);
    }
}
