package sluice.flink;

import java.util.Arrays;
import java.util.Base64;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.JsonCursor;
import sluice.values.Output;

/** Strings, bytes and booleans as Flink reads them. */
final class FlinkTexts {
    private FlinkTexts() {}

    /** A string: numbers, true and false as they are written, arrays and objects as JSON without blanks. */
    static FlinkValue string(String type) {
        return new FlinkValue(type) {
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
        };
    }

    /** Bytes, written as Base64. */
    static FlinkValue bytes(String type) {
        return new FlinkValue(type) {
            @Override
            public Object text(byte[] b, int from, int to) {
                byte[] kept = new byte[to - from];
                int size = 0;
                for (int i = from; i < to; i++) {
                    if (b[i] < 0 || b[i] > ' ') kept[size++] = b[i];
                }
                if (size % 4 != 0) throw wrong(b, from, to);
                try {
                    return Base64.getDecoder().decode(Arrays.copyOf(kept, size));
                } catch (IllegalArgumentException bad) {
                    throw wrong(b, from, to);
                }
            }

            @Override
            Object bare(byte kind, byte[] b, int from, int to) {
                throw wrong(b, from, to);
            }
        };
    }

    /** A boolean: true if the text is that word, in any case; false if it is any other. */
    static FlinkValue bool(String type) {
        return FlinkValue.of(type, (b, from, to) -> {
            int first = FlinkValue.first(b, from, to);
            int last = FlinkValue.last(b, first, to);
            return last - first == 4 && (b[first] | 0x20) == 't' && (b[first + 1] | 0x20) == 'r'
                && (b[first + 2] | 0x20) == 'u' && (b[first + 3] | 0x20) == 'e';
        });
    }

    /** The type NULL: whatever the value is. */
    static FlinkValue nothing(String type) {
        return new FlinkValue(type) {
            @Override
            public Object text(byte[] b, int from, int to) {
                return null;
            }

            @Override
            Object held(JsonCursor in) {
                in.skip();
                return null;
            }
        };
    }
}
