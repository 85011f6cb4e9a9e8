package sluice.transcode;

import java.util.Arrays;
import sluice.protobuf.ProtoCursor;
import sluice.protobuf.WireOutput;
import sluice.values.Output;

/**
 * A column of a joined ORC file: the streams of all messages, one after the other.
 *
 * <p>Runs of integers and bytes are copied as they are when they are exactly as many as there are values. Bits are
 * packed again, and dictionaries are resolved.
 */
final class OrcColumn {
    private static final int DIRECT = 0, DIRECT_V2 = 2, DICTIONARY_V2 = 3; // encodings

    /** Types by their number in a file: the encoding, and the second stream if there is one. */
    private enum Type {
        BOOLEAN(DIRECT, -1), BYTE(DIRECT, -1), SHORT(DIRECT_V2, -1), INT(DIRECT_V2, -1), LONG(DIRECT_V2, -1),
        FLOAT(DIRECT, -1), DOUBLE(DIRECT, -1), STRING(DIRECT_V2, OrcStripe.LENGTH), BINARY(DIRECT_V2, OrcStripe.LENGTH),
        TIMESTAMP(DIRECT_V2, OrcStripe.SECONDARY), LIST(DIRECT_V2, OrcStripe.LENGTH), MAP(DIRECT_V2, OrcStripe.LENGTH),
        STRUCT(DIRECT, -1), UNION(DIRECT, -1), DECIMAL(DIRECT_V2, OrcStripe.SECONDARY), DATE(DIRECT_V2, -1),
        VARCHAR(DIRECT_V2, OrcStripe.LENGTH), CHAR(DIRECT_V2, OrcStripe.LENGTH), TIMESTAMP_INSTANT(DIRECT_V2, OrcStripe.SECONDARY);

        final int encoding;
        final int second;

        Type(int encoding, int second) {
            this.encoding = encoding;
            this.second = second;
        }

        boolean isText() {
            return this == STRING || this == VARCHAR || this == CHAR;
        }

        boolean hasData() {
            return this != LIST && this != MAP && this != STRUCT;
        }
    }

    private static final Type[] TYPES = Type.values();

    /** Room for the streams of one message. */
    static final class Scratch {
        final Output data = new Output(), second = new Output(), dictionary = new Output(), bits = new Output();
        long[] numbers = new long[64];
        int[] ends = new int[64], lengths = new int[64];
        final Effort effort;

        Scratch(Effort effort) {
            this.effort = effort;
        }

        /** So many integers of a stream. */
        long[] integers(Output stream, boolean signed, int count) {
            if (numbers.length < count) numbers = new long[count];
            OrcRuns.integers(stream, signed, numbers, count);
            return numbers;
        }
    }

    private final int id;
    private final Type type;
    private final int[] children;
    private final Output data = new Output(32), second = new Output(16);
    /** Whether a value is there, a byte each; null while all are. */
    private Output present;
    private int count;

    /** By its type in a footer. */
    OrcColumn(int id, byte[] footer, int from, int to) {
        this.id = id;
        int[] found = new int[to - from];
        int size = 0;
        long kind = 0;
        ProtoCursor in = new ProtoCursor(footer, from, to);
        while (in.at < to) {
            int key = in.key();
            if (key >>> 3 == 1) {
                kind = in.number(key);
            } else if (key >>> 3 == 2) {
                int end = (key & 7) == ProtoCursor.VARINT ? in.at + 1 : in.bytesEnd(key);
                while (in.at < end) found[size++] = (int) Math.min(in.varint() & Long.MAX_VALUE, Integer.MAX_VALUE);
            } else {
                in.skip(key);
            }
        }
        if (kind < 0 || kind >= TYPES.length || kind == Type.UNION.ordinal()) throw OrcChunks.bad();
        type = TYPES[(int) kind];
        children = Arrays.copyOf(found, size);
        int wanted = type == Type.LIST ? 1 : type == Type.MAP ? 2 : type == Type.STRUCT ? size : 0;
        if (size != wanted) throw OrcChunks.bad();
    }

    /** Tell the columns inside that they have one around them, which comes before them. */
    void marks(boolean[] inside) {
        for (int child : children) {
            if (child <= id || child >= inside.length || inside[child]) throw OrcChunks.bad();
            inside[child] = true;
        }
    }

    /** Add the values of a stripe, of which there are as many as {@code counts} say; and tell those inside. */
    void add(OrcStripe in, int[] counts, Scratch scratch) {
        int values = present(in, counts[id], scratch);
        int encoding = in.encodings[id];
        if (encoding == DICTIONARY_V2 && type.isText()) {
            entries(in, values, scratch);
            return;
        }
        if (encoding != type.encoding) throw OrcChunks.bad();
        if (type.hasData()) in.read(id, OrcStripe.DATA, scratch.data);
        if (type.second >= 0) in.read(id, type.second, scratch.second);
        long inside = values;
        switch (type) {
            case BOOLEAN -> bits(scratch.data, data, values, scratch);
            case BYTE -> {
                scratch.bits.size = 0;
                OrcRuns.bytes(scratch.data, scratch.bits, values);
            }
            case SHORT, INT, LONG, DATE -> scratch.integers(scratch.data, true, values);
            case FLOAT -> exactly(4L * values, scratch.data.size);
            case DOUBLE -> exactly(8L * values, scratch.data.size);
            case TIMESTAMP, TIMESTAMP_INSTANT -> {
                scratch.integers(scratch.data, true, values);
                scratch.integers(scratch.second, false, values);
            }
            case DECIMAL -> {
                decimals(scratch.data, values);
                scratch.integers(scratch.second, true, values);
            }
            case LIST, MAP -> inside = lengths(scratch, scratch.second, values, null);
            case STRUCT -> { }
            default -> exactly(lengths(scratch, scratch.second, values, null), scratch.data.size);
        }
        if (type.hasData() && type != Type.BOOLEAN) data.put(scratch.data.bytes, 0, scratch.data.size);
        if (type.second >= 0) second.put(scratch.second.bytes, 0, scratch.second.size);
        for (int child : children) counts[child] = (int) inside;
    }

    /** Read which values are there; how many. */
    private int present(OrcStripe in, int slots, Scratch scratch) {
        scratch.effort.take(slots);
        boolean given = in.has(id, OrcStripe.PRESENT);
        if (given && present == null) {
            present = new Output(count + slots);
            ones(count);
        }
        count += slots;
        if (!given) {
            if (present != null) ones(slots);
            return slots;
        }
        in.read(id, OrcStripe.PRESENT, scratch.data);
        int begin = present.size, found = 0;
        bits(scratch.data, present, slots, scratch);
        for (int n = begin; n < present.size; n++) found += present.bytes[n];
        return found;
    }

    private void ones(int more) {
        present.room(more);
        Arrays.fill(present.bytes, present.size, present.size + more, (byte) 1);
        present.size += more;
    }

    private static void bits(Output stream, Output into, int count, Scratch scratch) {
        Output bits = scratch.bits;
        bits.size = 0;
        OrcRuns.bytes(stream, bits, (count + 7) / 8);
        into.room(count);
        for (int n = 0; n < count; n++) into.bytes[into.size++] = (byte) (bits.bytes[n / 8] >> 7 - n % 8 & 1);
    }

    private static void exactly(long wanted, long found) {
        if (wanted != found) throw OrcChunks.bad();
    }

    /** Numbers of any width, of which the last byte of each is below 128. */
    private static void decimals(Output stream, int count) {
        int found = 0;
        for (int n = 0; n < stream.size; n++) found += stream.bytes[n] >= 0 ? 1 : 0;
        if (found != count || stream.size > 0 && stream.bytes[stream.size - 1] < 0) throw OrcChunks.bad();
    }

    /** The sum of lengths, and where each ends if that is asked for. */
    private static long lengths(Scratch scratch, Output stream, int count, int[] ends) {
        long[] numbers = scratch.integers(stream, false, count);
        long sum = 0;
        for (int n = 0; n < count; n++) {
            if (numbers[n] < 0 || numbers[n] > Integer.MAX_VALUE - sum) throw OrcChunks.bad();
            sum += numbers[n];
            if (ends != null) ends[n] = (int) sum;
        }
        return sum;
    }

    /** Add values that are entries of a dictionary. */
    private void entries(OrcStripe in, int values, Scratch scratch) {
        long told = in.entries[id];
        scratch.effort.take(told);
        int entries = (int) told;
        if (scratch.ends.length < entries) scratch.ends = new int[entries];
        if (scratch.lengths.length < values) scratch.lengths = new int[values];
        in.read(id, OrcStripe.LENGTH, scratch.second);
        in.read(id, OrcStripe.DICTIONARY_DATA, scratch.dictionary);
        exactly(lengths(scratch, scratch.second, entries, scratch.ends), scratch.dictionary.size);
        in.read(id, OrcStripe.DATA, scratch.data);
        long[] numbers = scratch.integers(scratch.data, false, values);
        for (int n = 0; n < values; n++) {
            if (numbers[n] < 0 || numbers[n] >= entries) throw OrcChunks.bad();
            int entry = (int) numbers[n], begin = entry == 0 ? 0 : scratch.ends[entry - 1];
            scratch.lengths[n] = scratch.ends[entry] - begin;
            scratch.effort.take(scratch.lengths[n]);
            data.put(scratch.dictionary.bytes, begin, scratch.lengths[n]);
        }
        OrcRuns.put(scratch.lengths, values, second);
    }

    /** How much there is already. */
    int[] mark() {
        return new int[] {count, data.size, second.size, present == null ? -1 : present.size};
    }

    void reset(int[] mark) {
        count = mark[0];
        data.size = mark[1];
        second.size = mark[2];
        if (mark[3] < 0) {
            present = null;
        } else {
            present.size = mark[3];
        }
    }

    /** Put its streams into a file, and its part of the stripe's footer. */
    void write(Output file, Output footer) {
        if (present != null) {
            int begin = file.size;
            OrcRuns.bits(present, file);
            stream(OrcStripe.PRESENT, file.size - begin, footer);
        }
        if (type.hasData()) {
            int begin = file.size;
            if (type == Type.BOOLEAN) {
                OrcRuns.bits(data, file);
            } else {
                file.put(data.bytes, 0, data.size);
            }
            stream(OrcStripe.DATA, file.size - begin, footer);
        }
        if (type.second >= 0) {
            file.put(second.bytes, 0, second.size);
            stream(type.second, second.size, footer);
        }
    }

    private void stream(int kind, int length, Output footer) {
        int begin = footer.size;
        number(1, kind, footer);
        number(2, id, footer);
        number(3, length, footer);
        WireOutput.delimit(begin, 1, footer);
    }

    void writeEncoding(Output footer) {
        int begin = footer.size;
        number(1, type.encoding, footer);
        WireOutput.delimit(begin, 2, footer);
    }

    static void number(int id, long value, Output to) {
        WireOutput.key(id, ProtoCursor.VARINT, to);
        WireOutput.varint(value, to);
    }
}
