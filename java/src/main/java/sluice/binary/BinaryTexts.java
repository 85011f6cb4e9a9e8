package sluice.binary;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.values.Output;
import sluice.values.ValueReader;
import sluice.values.ValueWriter;

/** The types whose values are texts. */
final class BinaryTexts {
    private BinaryTexts() {}

    /** Any bytes, after their number. */
    static final class Plain extends BinaryValue {
        private final long most;

        /** A text of at most so many bytes. */
        Plain(String type, long most) {
            super(type, 1, UTF8String.EMPTY_UTF8);
            this.most = most;
        }

        @Override
        Object read(BinaryCursor in) {
            in.string(most);
            return UTF8String.fromBytes(in.bytes, in.from, in.to - in.from);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            UTF8String text = row.getUTF8String(at);
            out.putVarint(text.numBytes());
            out.put(text);
        }
    }

    /** So many bytes, filled up with zeros. */
    static final class Fixed extends BinaryValue {
        private final int length;

        Fixed(String type, int length) {
            super(type, length, UTF8String.EMPTY_UTF8);
            this.length = length;
        }

        @Override
        Object read(BinaryCursor in) {
            int from = in.take(length);
            return UTF8String.fromBytes(in.bytes, from, length);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            UTF8String text = row.getUTF8String(at);
            int given = text.numBytes();
            if (given > length) throw new IllegalArgumentException("Too large value for " + type);
            out.put(text);
            out.room(length - given);
            Arrays.fill(out.bytes, out.size, out.size + length - given, (byte) 0);
            out.size += length - given;
        }
    }

    /** A value as its text, for instance JSON. */
    static final class Said extends BinaryValue {
        private final ValueReader reader;
        private final ValueWriter writer;
        private final long most;

        /** A text of at most so many bytes, with what reads and writes it. */
        Said(String type, ValueReader reader, ValueWriter writer, long most) {
            super(type, 1, reader == null ? null : reader.missing);
            this.reader = reader;
            this.writer = writer;
            this.most = most;
        }

        @Override
        Object read(BinaryCursor in) {
            in.string(most);
            return reader.text(in.bytes, in.from, in.to);
        }

        @Override
        void write(SpecializedGetters row, int at, Output out) {
            Output text = new Output();
            writer.plain(row, at, text);
            out.putVarint(text.size);
            out.put(text.bytes, 0, text.size);
        }
    }
}
