package sluice.flink;

import java.util.Base64;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.JsonCursor;
import sluice.values.Output;

/** Texts, bytes and booleans as Flink reads them. */
final class FlinkTexts {
    private FlinkTexts() {}

    /** Any text; of numbers, true and false theirs, and lists and objects as JSON without blanks. */
    static final class Plain extends FlinkValue {
        Plain(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            return UTF8String.fromBytes(b, from, to - from);
        }

        @Override
        Object held(JsonCursor in) {
            Output out = new Output();
            FlinkCompact.write(in, out);
            return UTF8String.fromBytes(out.message());
        }
    }

    /** Bytes, written as Base64. */
    static final class Bytes extends FlinkValue {
        Bytes(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            byte[] kept = new byte[to - from];
            int size = 0;
            for (int i = from; i < to; i++) {
                if (b[i] < 0 || b[i] > ' ') kept[size++] = b[i];
            }
            if (size % 4 != 0) throw wrong(b, from, to);
            try {
                return Base64.getDecoder().decode(java.util.Arrays.copyOf(kept, size));
            } catch (IllegalArgumentException bad) {
                throw wrong(b, from, to);
            }
        }

        @Override
        Object bare(byte kind, byte[] b, int from, int to) {
            throw wrong(b, from, to);
        }
    }

    /** True if the text is that word, in any case; false if it is any other. */
    static final class Bool extends FlinkValue {
        Bool(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            int first = first(b, from, to);
            int last = last(b, first, to);
            return last - first == 4 && (b[first] | 0x20) == 't' && (b[first + 1] | 0x20) == 'r'
                && (b[first + 2] | 0x20) == 'u' && (b[first + 3] | 0x20) == 'e';
        }
    }

    /** Never anything but NULL. */
    static final class Nothing extends FlinkValue {
        Nothing(String type) {
            super(type);
        }

        @Override
        public Object text(byte[] b, int from, int to) {
            return null;
        }

        @Override
        Object held(JsonCursor in) {
            in.skip();
            return null;
        }
    }
}
