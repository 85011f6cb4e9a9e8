package sluice.transcode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import sluice.decode.Decoder;

/** Transcoders in Spark's tasks: messages are read and written many at a time. */
public final class Transcoding {
    private static final int MESSAGES = 1000, BYTES = 8 << 20;
    private static final Transcoder.Read NOT_READ = new Transcoder.Read(null, null);
    private static final byte[] NO_ROWS = {};

    private Transcoding() {}

    /**
     * Messages with two columns more: the rows of {@code value} as RowBinary, and what is wrong with it.
     *
     * <p>With a {@code first} decoder both are NULL for messages that it reads; for the others one is not.
     */
    public static Dataset<Row> read(
            Dataset<Row> messages, Transcoder transcoder, Decoder first, String rows, String error) {
        StructType schema = messages.schema().add(rows, DataTypes.BinaryType).add(error, DataTypes.StringType);
        int value = messages.schema().fieldIndex("value");
        return messages.mapPartitions((MapPartitionsFunction<Row, Row>) given ->
            new Batches(given, value, part -> read(part, value, transcoder, first)), Encoders.row(schema));
    }

    private static List<Row> read(List<Row> part, int value, Transcoder transcoder, Decoder first) {
        boolean[] left = new boolean[part.size()];
        List<byte[]> messages = new ArrayList<>();
        for (int i = 0; i < left.length; i++) {
            byte[] message = part.get(i).getAs(value);
            left[i] = message != null && (first == null || Decoder.isError(first.decode(message)));
            if (left[i]) messages.add(message);
        }
        Transcoder.Read[] found = transcoder.read(messages);
        List<Row> made = new ArrayList<>(left.length);
        int next = 0;
        for (int i = 0; i < left.length; i++) {
            Transcoder.Read one = left[i] ? found[next++] : NOT_READ;
            byte[] rows = one.rows() == null && one.error() == null && left[i] && first != null ? NO_ROWS : one.rows();
            made.add(longer(part.get(i), rows, one.error()));
        }
        return made;
    }

    /** Messages whose {@code value} was RowBinary; {@code single}: each has one row. */
    public static Dataset<Row> write(Dataset<Row> messages, Transcoder transcoder, boolean single) {
        int value = messages.schema().fieldIndex("value");
        return messages.mapPartitions((MapPartitionsFunction<Row, Row>) given ->
            new Batches(given, value, part -> {
                List<byte[]> made = transcoder.write(values(part, value), single);
                List<Row> found = new ArrayList<>(part.size());
                int next = 0;
                for (Row each : part) {
                    found.add(each.isNullAt(value) ? each : replaced(each, value, made.get(next++)));
                }
                return found;
            }), Encoders.row(messages.schema()));
    }

    private static List<byte[]> values(List<Row> rows, int value) {
        List<byte[]> found = new ArrayList<>(rows.size());
        for (Row each : rows) {
            if (!each.isNullAt(value)) found.add(each.getAs(value));
        }
        return found;
    }

    private static Row longer(Row row, Object... more) {
        Object[] made = new Object[row.length() + more.length];
        for (int i = 0; i < row.length(); i++) made[i] = row.get(i);
        System.arraycopy(more, 0, made, row.length(), more.length);
        return RowFactory.create(made);
    }

    private static Row replaced(Row row, int at, Object value) {
        Object[] made = new Object[row.length()];
        for (int i = 0; i < made.length; i++) made[i] = i == at ? value : row.get(i);
        return RowFactory.create(made);
    }

    private interface Step {
        List<Row> of(List<Row> rows);
    }

    /** Rows, of which as many as fit are handled at a time. */
    private static final class Batches implements Iterator<Row> {
        private final Iterator<Row> given;
        private final int value;
        private final Step step;
        private final Deque<Row> ready = new ArrayDeque<>();

        Batches(Iterator<Row> given, int value, Step step) {
            this.given = given;
            this.value = value;
            this.step = step;
        }

        @Override
        public boolean hasNext() {
            if (ready.isEmpty() && given.hasNext()) fill();
            return !ready.isEmpty();
        }

        @Override
        public Row next() {
            if (!hasNext()) throw new NoSuchElementException();
            return ready.poll();
        }

        private void fill() {
            List<Row> part = new ArrayList<>();
            long bytes = 0;
            while (given.hasNext() && part.size() < MESSAGES && bytes < BYTES) {
                Row next = given.next();
                if (!next.isNullAt(value)) bytes += next.<byte[]>getAs(value).length;
                part.add(next);
            }
            ready.addAll(step.of(part));
        }
    }
}
