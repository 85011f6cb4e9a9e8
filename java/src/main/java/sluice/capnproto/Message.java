package sluice.capnproto;

import org.apache.spark.unsafe.Platform;
import sluice.scan.BadValue;

/**
 * A Kafka message of Cap'n Proto's messages, and where the segments of the current one are.
 *
 * <p>What a pointer says is believed only if it lies within its segment. So that pointers to the same bytes, or lists
 * of nothing, do not make a short message long, what is visited in all is limited by the message's length.
 */
final class Message {
    static final int WORD = 8;
    private static final int MOST_SEGMENTS = 512;
    private static final long MOST_VISITED = 8 << 20; // words, as in Cap'n Proto's own readers
    private static final int FREE = 1 << 16; // words that may be visited however short the message is

    final byte[] bytes;
    private final long longest;
    private final int columns;
    private int at;
    private int[] starts = {};
    private int[] ends = {};
    private long budget;

    /** {@code longest}: the bytes that one message may have, 0 for any; each of the columns may visit all of it. */
    Message(byte[] bytes, long longest, int columns) {
        this.bytes = bytes;
        this.longest = longest == 0 ? Long.MAX_VALUE : longest;
        this.columns = columns;
    }

    /** Whether another message follows. */
    boolean more() {
        return at < bytes.length;
    }

    /** Where the next message's root is. */
    Place next() {
        int first = at;
        if (bytes.length - at < WORD) throw new BadValue("The message breaks off in the table of its segments (at byte " + at + ")");
        int count = four(at) + 1;
        if (count < 1 || count > MOST_SEGMENTS) {
            throw new BadValue("Message has too many segments. Most likely, data was corrupted (at byte " + first + ")");
        }
        long from = first + (count / 2 + 1L) * WORD;
        if (from > bytes.length) throw new BadValue("The message breaks off in the table of its segments (at byte " + first + ")");
        starts = new int[count];
        ends = new int[count];
        for (int i = 0; i < count; i++) {
            long to = from + (four(first + 4 + 4 * i) & 0xffffffffL) * WORD;
            if (to > bytes.length) {
                throw new BadValue("Segment " + i + " ends at byte " + to + ", but the message has " + bytes.length + " bytes");
            }
            starts[i] = (int) from;
            ends[i] = (int) to;
            from = to;
        }
        at = (int) from;
        if (at - first > longest) {
            throw new BadValue("The message has " + (at - first) + " bytes, more than format_capn_proto_max_message_size = " + longest);
        }
        if (ends[0] == starts[0]) throw new BadValue("The message has no root: its first segment is empty (at byte " + first + ")");
        budget = Math.min(MOST_VISITED, FREE + (long) (at - first) / WORD * columns);
        return struct(0, starts[0]);
    }

    int four(int at) {
        return Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + at);
    }

    private long eight(int at) {
        return Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET + at);
    }

    /** Bits at a position that was checked. */
    long bits(int at, int width) {
        switch (width) {
            case 8: return bytes[at] & 0xff;
            case 16: return (bytes[at] & 0xff) | (bytes[at + 1] & 0xff) << 8;
            case 32: return four(at) & 0xffffffffL;
            default: return eight(at);
        }
    }

    /** Where a struct, or an element of a list, has its data and its pointers. */
    static final class Place {
        static final Place NOTHING = new Place(0, 0, 0, 0, 0);
        final int segment;
        final int data; // the byte where the data begin
        final int bits; // how many bits of data there are
        final int pointers; // the byte where the pointers begin
        final int count; // how many pointers there are
        int bit; // within the first byte, for an element of a list of bits

        Place(int segment, int data, int bits, int pointers, int count) {
            this.segment = segment;
            this.data = data;
            this.bits = bits;
            this.pointers = pointers;
            this.count = count;
        }
    }

    /** A list, with the stride from element to element in bits, and each element's bits of data and its pointers. */
    record Elements(int segment, int first, int count, long stride, int bits, int pointers, int code) {
        Place element(int i) {
            long place = i * stride;
            int at = first + (int) (place >> 3);
            Place found = new Place(segment, at, bits, at + bits / 8, pointers);
            found.bit = (int) (place & 7);
            return found;
        }
    }

    private static final int BIT_LIST = 1, BYTE_LIST = 2, POINTER_LIST = 6, COMPOSITE = 7;

    // where the pointer that was followed last led
    private int segment;
    private int target;
    private long pointer;

    /** Follow a pointer, and those far pointers that it leads to; whether it is not null. */
    private boolean follow(int inSegment, int place) {
        segment = inSegment;
        pointer = eight(place);
        if (pointer == 0) return false;
        if ((pointer & 3) != 2) {
            relative(place);
            return true;
        }
        boolean twice = (pointer & 4) != 0;
        int pad = pad(place, pointer, twice ? 2 : 1);
        if (!twice) {
            pointer = eight(pad);
            if ((pointer & 3) == 2) throw wrong(place, "a far pointer leads to another one");
            if (pointer == 0) return false;
            relative(pad);
            return true;
        }
        long far = eight(pad);
        pointer = eight(pad + WORD);
        if ((far & 7) != 2) throw wrong(place, "the landing pad of a double-far pointer has no far pointer");
        target = pad(pad, far, 0);
        return true;
    }

    /** Where a far pointer leads; so many words must be there. */
    private int pad(int place, long far, int words) {
        long id = far >>> 32;
        if (id >= starts.length) throw wrong(place, "a far pointer leads to segment " + id + " of " + starts.length);
        segment = (int) id;
        long found = starts[segment] + ((far & 0xffffffffL) >>> 3) * WORD;
        if (found + (long) words * WORD > ends[segment]) throw wrong(place, "a far pointer leads out of its segment");
        return (int) found;
    }

    /** A pointer leads so many words beyond itself. */
    private void relative(int place) {
        long found = place + WORD + ((long) (int) pointer >> 2) * WORD;
        if (found < starts[segment] || found > ends[segment]) throw wrong(place, "a pointer leads out of its segment");
        target = (int) found;
    }

    private static BadValue wrong(int place, String what) {
        return new BadValue("The message is corrupted: " + what + " (at byte " + place + ")");
    }

    /** That so many words are in the segment, and that they may still be visited. */
    private void visit(int place, long words) {
        if (target + words * WORD > ends[segment]) throw wrong(place, "a pointer leads out of its segment");
        charge(words);
    }

    private void charge(long words) {
        budget -= words;
        if (budget < 0) throw new BadValue("The message is corrupted: its pointers lead to more than it has");
    }

    /** The struct that a pointer leads to; without any data for a null one. */
    Place struct(Place in, int offset) {
        if (offset >= in.count) return Place.NOTHING;
        return struct(in.segment, in.pointers + offset * WORD);
    }

    private Place struct(int inSegment, int place) {
        if (!follow(inSegment, place)) return Place.NOTHING;
        if ((pointer & 3) != 0) throw wrong(place, "a struct is expected, but the pointer is to something else");
        int words = (int) (pointer >>> 32) & 0xffff;
        int count = (int) (pointer >>> 48);
        visit(place, words + count);
        return new Place(segment, target, words * 64, target + words * WORD, count);
    }

    /** The list that a pointer leads to; null for a null one. */
    Elements list(Place in, int offset, Schema.Type item) {
        if (offset >= in.count) return null;
        int place = in.pointers + offset * WORD;
        if (!follow(in.segment, place)) return null;
        if ((pointer & 3) != 1) throw wrong(place, "a list is expected, but the pointer is to something else");
        int code = (int) (pointer >>> 32) & 7;
        int count = (int) (pointer >>> 35);
        Elements found = code == COMPOSITE ? composite(place, count) : simple(place, code, count);
        if (count > 0) check(place, found, item);
        return found;
    }

    private Elements simple(int place, int code, int count) {
        int bits = code == BIT_LIST ? 1 : code == 0 || code == POINTER_LIST ? 0 : 8 << code - BYTE_LIST;
        int stride = code == POINTER_LIST ? 64 : bits;
        visit(place, ((long) count * stride + 63) / 64);
        if (stride == 0) charge(count); // which cost no bytes
        return new Elements(segment, target, count, stride, bits, code == POINTER_LIST ? 1 : 0, code);
    }

    private Elements composite(int place, int words) {
        visit(place, words + 1L);
        long tag = eight(target);
        int count = (int) tag >>> 2;
        int data = (int) (tag >>> 32) & 0xffff;
        int pointers = (int) (tag >>> 48);
        if ((tag & 3) != 0) throw wrong(place, "the elements of a list are no structs");
        if ((long) count * (data + pointers) > words) throw wrong(place, "a list has more elements than words");
        if (data + pointers == 0) charge(count);
        return new Elements(segment, target + WORD, count, (data + pointers) * 64L, data * 64, pointers, COMPOSITE);
    }

    /** That elements may be read as what the schema says. */
    private static void check(int place, Elements found, Schema.Type item) {
        Schema.Kind kind = item.kind();
        boolean fits;
        if (kind == Schema.Kind.STRUCT) fits = found.code != BIT_LIST;
        else if (kind == Schema.Kind.BOOL || found.code == BIT_LIST) fits = (kind == Schema.Kind.BOOL) == (found.code == BIT_LIST);
        else if (kind.isPointer()) fits = found.pointers > 0;
        else fits = found.bits >= kind.width;
        if (!fits) throw wrong(place, "the elements of a list are none of " + item);
    }

    /** Where the bytes that a pointer leads to begin and end: of a text without the zero after it. */
    long blob(Place in, int offset, boolean text) {
        if (offset >= in.count) return 0;
        int place = in.pointers + offset * WORD;
        if (!follow(in.segment, place)) return 0;
        boolean isBytes = (pointer & 3) == 1 && ((int) (pointer >>> 32) & 7) == BYTE_LIST;
        if (!isBytes) throw wrong(place, (text ? "a text is" : "data are") + " expected, but the pointer is to something else");
        int count = (int) (pointer >>> 35);
        visit(place, (count + 7L) / WORD);
        int end = target + count;
        if (text) {
            if (count == 0 || bytes[end - 1] != 0) throw new BadValue("Message contains text that is not NUL-terminated (at byte " + target + ")");
            end--;
        }
        return (long) target << 32 | end;
    }

    /** The bits of a field; a struct without room for it, as an older writer's, has 0. */
    long field(Place in, int offset, int width) {
        if ((offset + 1L) * width > in.bits) return 0;
        if (width == 1) {
            int bit = in.bit + offset;
            return bytes[in.data + (bit >> 3)] >> (bit & 7) & 1;
        }
        return bits(in.data + offset * (width / 8), width);
    }
}
