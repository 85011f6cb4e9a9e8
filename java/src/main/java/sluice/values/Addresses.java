package sluice.values;

/** IPv4 as the number of an address in a BIGINT, IPv6 as the 16 bytes of one. */
final class Addresses {
    private static final int WORDS = 8;

    private Addresses() {}

    /** Like {@code 127.0.0.1}. */
    static final class V4 extends Encoding {
        V4() {
            super(true);
        }

        @Override
        Object zero() {
            return 0L;
        }

        @Override
        Object parsed(byte[] b, int from, int to) {
            long found = four(b, from, to);
            return found < 0 ? null : found;
        }

        @Override
        public Object number(byte[] text, int from, int to) {
            return null;
        }

        @Override
        public void write(Object stored, Output out) {
            dotted((int) (long) stored, out);
        }
    }

    /** Like {@code 2001:db8::1}; an IPv4 address is mapped. */
    static final class V6 extends Encoding {
        V6() {
            super(true);
        }

        @Override
        Object zero() {
            return new byte[2 * WORDS];
        }

        @Override
        Object parsed(byte[] b, int from, int to) {
            int[] words = new int[WORDS];
            int count = 0;
            int gap = -1;
            int at = from;
            if (at + 1 < to && b[at] == ':' && b[at + 1] == ':') {
                gap = 0;
                at += 2;
            }
            while (at < to) {
                int end = at;
                while (end < to && b[end] != ':') end++;
                long dotted = end == to ? four(b, at, to) : -1;
                if (dotted >= 0) {
                    boolean alone = count == 0 && gap < 0;
                    if (alone) {
                        words[5] = 0xffff;
                        count = 6;
                    }
                    if (count > 6) return null;
                    words[count++] = (int) (dotted >>> 16);
                    words[count++] = (int) (dotted & 0xffff);
                    at = to;
                    continue;
                }
                int word = word(b, at, end);
                if (word < 0 || count == WORDS) return null;
                words[count++] = word;
                at = end;
                if (at == to) continue;
                if (++at == to) return null;
                if (b[at] == ':') {
                    if (gap >= 0) return null;
                    gap = count;
                    at++;
                }
            }
            if (gap < 0 ? count != WORDS : count == WORDS) return null;
            return bytes(words, gap, count);
        }

        private static byte[] bytes(int[] words, int gap, int count) {
            byte[] found = new byte[2 * WORDS];
            for (int i = 0; i < count; i++) {
                int to = gap >= 0 && i >= gap ? i + WORDS - count : i;
                found[2 * to] = (byte) (words[i] >>> 8);
                found[2 * to + 1] = (byte) words[i];
            }
            return found;
        }

        private static int word(byte[] b, int from, int to) {
            if (from == to || to - from > 4) return -1;
            int word = 0;
            for (int i = from; i < to; i++) {
                int digit = Character.digit(b[i], 16);
                if (digit < 0) return -1;
                word = word << 4 | digit;
            }
            return word;
        }

        /** An IPv4 address has no zeros before its numbers here. */
        @Override
        public Object cast(byte[] text) {
            boolean dotted = true;
            boolean zeros = false;
            for (int i = 0; i < text.length; i++) {
                dotted &= text[i] != ':';
                boolean starts = i == 0 || text[i - 1] == '.';
                zeros |= starts && text[i] == '0' && i + 1 < text.length && text[i + 1] != '.';
            }
            return dotted && zeros ? null : parsed(text, 0, text.length);
        }

        @Override
        public Object number(byte[] text, int from, int to) {
            return null;
        }

        @Override
        public void write(Object stored, Output out) {
            byte[] b = (byte[]) stored;
            int first = -1; // the first of the longest zeros, of which there must be two
            int most = 1;
            for (int i = 0; i < WORDS; i++) {
                int length = 0;
                while (i + length < WORDS && word(b, i + length) == 0) length++;
                if (length > most) {
                    first = i;
                    most = length;
                }
                i += length;
            }
            for (int i = 0; i < WORDS; i++) {
                if (i == first) {
                    out.put(i == 0 ? "::" : ":");
                    i += most - 1;
                    continue;
                }
                if (i == 6 && first == 0 && (most == 6 || most == 5 && word(b, 5) == 0xffff)) {
                    dotted(word(b, 6) << 16 | word(b, 7), out);
                    return;
                }
                out.put(Integer.toHexString(word(b, i)));
                if (i < WORDS - 1) out.put(':');
            }
        }

        private static int word(byte[] b, int n) {
            return (b[2 * n] & 0xff) << 8 | b[2 * n + 1] & 0xff;
        }
    }

    /** The number of an IPv4 address, -1 for a text that is none. */
    private static long four(byte[] b, int from, int to) {
        long address = 0;
        int parts = 0;
        for (int i = from; ; i++) {
            int part = 0;
            int first = i;
            for (; i < to && TimeReaders.digit(b[i]); i++) {
                part = part * 10 + b[i] - '0';
                if (part > 255) return -1;
            }
            if (i == first) return -1;
            address = address << 8 | part;
            if (++parts == 4) return i == to ? address : -1;
            if (i == to || b[i] != '.') return -1;
        }
    }

    private static void dotted(int address, Output out) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.put((long) (address >>> shift & 0xff));
            if (shift > 0) out.put('.');
        }
    }
}
