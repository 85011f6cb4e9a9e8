package sluice.flink;

import java.io.Serializable;
import sluice.scan.JsonCursor;
import sluice.values.ValueReader;

/** A value as Flink's text formats have it: NULL where there is none, else what its text means. */
abstract class FlinkValue extends ValueReader {
    FlinkValue(String type) {
        super(type, null);
    }

    /** The value of a text. */
    interface Text extends Serializable {
        Object of(byte[] b, int from, int to);
    }

    /** A type whose values in JSON are read as texts are. */
    static FlinkValue of(String type, Text value) {
        return new FlinkValue(type) {
            @Override
            public Object text(byte[] b, int from, int to) {
                return value.of(b, from, to);
            }
        };
    }

    /** The value that comes next in JSON. */
    @Override
    public Object json(JsonCursor in) {
        byte kind = in.next();
        switch (kind) {
            case JsonCursor.NULL: return null;
            case JsonCursor.LIST:
            case JsonCursor.OBJECT: return held(in);
            case JsonCursor.STRING: return text(in.text, in.from, in.to);
            default: return bare(kind, in.text, in.from, in.to);
        }
    }

    /** The value of a number, true or false in JSON; their text, unless a type knows better. */
    Object bare(byte kind, byte[] b, int from, int to) {
        return text(b, from, to);
    }

    /** The value of a list or an object, which comes next. */
    Object held(JsonCursor in) {
        throw wrong(in);
    }

    /** Where a text begins without blanks, as Java trims it. */
    static int first(byte[] b, int from, int to) {
        while (from < to && b[from] >= 0 && b[from] <= ' ') from++;
        return from;
    }

    /** Where it ends without them. */
    static int last(byte[] b, int from, int to) {
        while (to > from && b[to - 1] >= 0 && b[to - 1] <= ' ') to--;
        return to;
    }
}
