package sluice.binary;

import java.io.Serializable;
import java.util.Arrays;
import sluice.scan.BadValue;
import sluice.values.Output;

/** How a column of values is laid out in a block of ClickHouse's Native format. */
abstract class NativeColumn implements Serializable {
    /** Read what precedes the column. */
    void begin(BinaryCursor in) {}

    /** Read so many values, as Spark holds them. */
    abstract Object[] read(BinaryCursor in, int count);

    /** Write what precedes the column. */
    void begin(Output out) {}

    /** Write the values of a column. */
    abstract void write(Cells cells, Output out);

    /** Make sure that so many values of so many bytes at least may follow. */
    static void check(BinaryCursor in, long count, int least) {
        if (count > (in.end - in.at) / Math.max(least, 1)) throw in.tooShort(count * Math.max(least, 1));
    }

    /** A type whose values follow each other as in RowBinary. */
    static final class Scalar extends NativeColumn {
        private final BinaryValue value;

        Scalar(BinaryValue value) {
            this.value = value;
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            check(in, count, value.least);
            Object[] found = new Object[count];
            for (int i = 0; i < count; i++) found[i] = value.read(in);
            return found;
        }

        @Override
        void write(Cells cells, Output out) {
            for (int i = 0; i < cells.count(); i++) value.put(cells.holders()[i], cells.places()[i], out);
        }
    }

    /** Nothing at all, in a byte for each value: NULLs without a type, and tuples without parts. */
    static final class Nothing extends NativeColumn {
        private final Object value;

        Nothing(Object value) {
            this.value = value;
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            in.take(count);
            Object[] found = new Object[count];
            Arrays.fill(found, value);
            return found;
        }

        @Override
        void write(Cells cells, Output out) {
            for (int i = 0; i < cells.count(); i++) out.put('0');
        }
    }

    /** A byte for each value that says whether it is NULL, and then all values. */
    static final class Optional extends NativeColumn {
        private final NativeColumn value;

        Optional(NativeColumn value) {
            this.value = value;
        }

        @Override
        void begin(BinaryCursor in) {
            value.begin(in);
        }

        @Override
        void begin(Output out) {
            value.begin(out);
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            int nulls = in.take(count);
            Object[] found = value.read(in, count);
            for (int i = 0; i < count; i++) {
                if (in.bytes[nulls + i] != 0) found[i] = null;
            }
            return found;
        }

        @Override
        void write(Cells cells, Output out) {
            for (int i = 0; i < cells.count(); i++) out.put(cells.isNull(i) ? 1 : 0);
            value.write(cells, out);
        }
    }

    /** Values of type JSON as texts; the version of any other way to write them is refused. */
    static final class Texts extends NativeColumn {
        private static final long AS_STRING = 1;
        private final NativeColumn text;

        Texts(NativeColumn text) {
            this.text = text;
        }

        @Override
        void begin(BinaryCursor in) {
            long version = in.eight();
            if (version != AS_STRING) {
                throw new BadValue("Values of type JSON are read from Native only as texts, of version 1, not " + version
                    + " (output_format_native_write_json_as_string)");
            }
        }

        @Override
        void begin(Output out) {
            out.putLowLong(AS_STRING);
        }

        @Override
        Object[] read(BinaryCursor in, int count) {
            return text.read(in, count);
        }

        @Override
        void write(Cells cells, Output out) {
            text.write(cells, out);
        }
    }
}
