package sluice.transcode;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.unsafe.Platform;
import sluice.values.Output;

/** A column of a joined message of Arrow: the values of all messages, one after the other. */
final class ArrowColumn {
    final ArrowSchema.Column of;
    int count, nulls;
    /** A byte for each value whether it is there; null while all are. */
    private Output present;
    /** Fixed values and bytes as they are; bits are a byte each. */
    private final Output data = new Output(32);
    /** Of texts and lists: four bytes each. */
    private final Output lengths = new Output(16);
    /** Of the offsets that were read last. */
    private int lastOffset;

    ArrowColumn(ArrowSchema.Column of) {
        this.of = of;
    }

    /** Add the values of a batch; how many the columns inside have. */
    int add(ArrowBatch in, int wanted) {
        int values = in.node();
        if (values != wanted) throw ArrowSchema.bad();
        in.effort.take(values);
        if (of.layout() != ArrowSchema.Layout.NULLS) present(in, values);
        count += values;
        switch (of.layout()) {
            case BITS -> {
                in.buffer((values + 7) / 8);
                bits(in, values, data);
            }
            case FIXED -> {
                long size = (long) values * of.width();
                in.buffer(size);
                data.put(in.bytes, in.from, (int) size);
            }
            case BYTES -> {
                int begin = offsets(in, values), size = lastOffset - begin;
                in.buffer(lastOffset);
                data.put(in.bytes, in.from + begin, size);
            }
            case LIST -> {
                if (offsets(in, values) != 0) throw ArrowSchema.bad();
                return lastOffset;
            }
            default -> { }
        }
        return values;
    }

    private void present(ArrowBatch in, int values) {
        int missing = in.nulls;
        nulls += missing;
        if (missing == 0) {
            in.skipBuffer();
        } else {
            in.buffer((values + 7) / 8);
        }
        if (missing > 0 && present == null) {
            present = new Output(count + values);
            ones(count);
        }
        if (present == null) return;
        if (missing == 0) {
            ones(values);
            return;
        }
        int begin = present.size;
        bits(in, values, present);
        for (int n = begin; n < present.size; n++) missing -= 1 - present.bytes[n];
        if (missing != 0) throw ArrowSchema.bad();
    }

    private void ones(int more) {
        present.room(more);
        Arrays.fill(present.bytes, present.size, present.size + more, (byte) 1);
        present.size += more;
    }

    private static void bits(ArrowBatch in, int values, Output into) {
        into.room(values);
        for (int n = 0; n < values; n++) {
            into.bytes[into.size++] = (byte) (in.bytes[in.from + n / 8] >> n % 8 & 1);
        }
    }

    /** Add the lengths between offsets; the first of these, when the last is known. */
    private int offsets(ArrowBatch in, int values) {
        lastOffset = 0;
        in.buffer(values == 0 ? 0 : (values + 1L) * of.width());
        if (values == 0) return 0;
        long first = offset(in, 0), last = first;
        if (first < 0) throw ArrowSchema.bad();
        for (int n = 1; n <= values; n++) {
            long next = offset(in, n);
            if (next < last || next > Effort.OF_MESSAGE) throw ArrowSchema.bad();
            lengths.putLowInt((int) (next - last));
            last = next;
        }
        lastOffset = (int) last;
        return (int) first;
    }

    private long offset(ArrowBatch in, int n) {
        long place = Platform.BYTE_ARRAY_OFFSET + in.from + (long) n * of.width();
        return of.width() == 4 ? Platform.getInt(in.bytes, place) : Platform.getLong(in.bytes, place);
    }

    int[] mark() {
        return new int[] {count, nulls, data.size, lengths.size, present == null ? -1 : present.size};
    }

    void reset(int[] mark) {
        count = mark[0];
        nulls = mark[1];
        data.size = mark[2];
        lengths.size = mark[3];
        if (mark[4] < 0) {
            present = null;
        } else {
            present.size = mark[4];
        }
    }

    /** Put its buffers into a body; where each begins and how long it is go into a list. */
    void write(Output body, List<long[]> places) {
        if (of.layout() == ArrowSchema.Layout.NULLS) return;
        begin(body, places);
        if (present != null) packed(present, body);
        end(body, places);
        if (of.layout() == ArrowSchema.Layout.STRUCT) return;
        if (of.layout() == ArrowSchema.Layout.BYTES || of.layout() == ArrowSchema.Layout.LIST) {
            begin(body, places);
            long last = 0;
            body.putLow(0, of.width());
            for (int at = 0; at < lengths.size; at += 4) {
                last += Platform.getInt(lengths.bytes, Platform.BYTE_ARRAY_OFFSET + at);
                body.putLow(last, of.width());
            }
            end(body, places);
        }
        if (of.layout() == ArrowSchema.Layout.LIST) return;
        begin(body, places);
        if (of.layout() == ArrowSchema.Layout.BITS) {
            packed(data, body);
        } else {
            body.put(data.bytes, 0, data.size);
        }
        end(body, places);
    }

    private static void packed(Output bits, Output to) {
        byte[] made = new byte[(bits.size + 7) / 8];
        for (int n = 0; n < bits.size; n++) made[n / 8] |= (byte) (bits.bytes[n] << n % 8);
        to.put(made);
    }

    private static void begin(Output body, List<long[]> places) {
        while (body.size % 8 != 0) body.put(0);
        places.add(new long[] {body.size, 0});
    }

    private static void end(Output body, List<long[]> places) {
        long[] place = places.get(places.size() - 1);
        place[1] = body.size - place[0];
    }
}
