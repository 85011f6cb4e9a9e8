package sluice.avro;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import sluice.registry.Plans;
import sluice.scan.BadValue;
import sluice.values.Settings;

/** ClickHouse's Avro, read: a message is a file with its schema, and has any number of records. */
public final class AvroFileDecoder extends ColumnsDecoder {
    static final byte[] MAGIC = {'O', 'b', 'j', 1};
    static final int SYNC = 16;
    private static final int MOST_BYTES = 64 << 20; // of a message's blocks, expanded
    private static final int MOST_ROWS = 1_000_000; // that a message may have without bytes of their own

    private transient Plans<String, ReadPlan> plans;
    private transient volatile Header last;

    /** What a file begins with, and what that means: most files of a topic begin alike. */
    private record Header(byte[] bytes, Blocks codec, ReadPlan plan) {}

    public AvroFileDecoder(String described, Settings settings) {
        super(described, settings);
    }

    private Header header(byte[] message) {
        Header known = last;
        if (known != null && message.length >= known.bytes.length
            && Arrays.equals(message, 0, known.bytes.length, known.bytes, 0, known.bytes.length)) return known;
        if (!Arrays.equals(message, 0, Math.min(MAGIC.length, message.length), MAGIC, 0, MAGIC.length)) {
            throw new BadValue("Invalid data file. Magic does not match");
        }
        AvroBytes in = new AvroBytes(message, MAGIC.length);
        String schema = null;
        Blocks codec = Blocks.NULL;
        for (long count = in.items(); count > 0; count = in.items()) {
            for (long i = 0; i < count; i++) {
                String name = text(in);
                if (name.equals("avro.schema")) schema = text(in);
                else if (name.equals("avro.codec")) codec = Blocks.named(text(in));
                else in.slice();
            }
        }
        if (schema == null) throw new BadValue("Invalid data file. It has no schema");
        return last = new Header(Arrays.copyOf(message, in.at()), codec, plan(schema));
    }

    @Override
    void rows(byte[] message, List<Object> found) {
        Header header = header(message);
        Blocks codec = header.codec;
        ReadPlan plan = header.plan;
        AvroBytes in = new AvroBytes(message, header.bytes.length);
        int sync = in.skip(SYNC);
        int expanded = 0; // bytes
        while (in.left() > 0) {
            long count = in.readLong();
            int first = in.slice();
            int last = in.at();
            int mark = in.skip(SYNC);
            if (!Arrays.equals(message, sync, sync + SYNC, message, mark, mark + SYNC)) {
                throw new BadValue("Invalid data file. Sync mismatch");
            }
            AvroBytes block = codec == Blocks.NULL ? new AvroBytes(message, first, last) : block(codec, message, first, last, expanded);
            expanded += block.left();
            if (count < 0 || count > Math.max(expanded, MOST_ROWS) - found.size()) {
                throw new BadValue("Invalid data file. A block claims " + count + " records");
            }
            for (long i = 0; i < count; i++) found.add(new GenericInternalRow(plan.row(block)));
            block.finish();
        }
    }

    private static String text(AvroBytes in) {
        int from = in.slice();
        return new String(in.all(), from, in.at() - from, StandardCharsets.UTF_8);
    }

    private synchronized ReadPlan plan(String schema) {
        if (plans == null) plans = new Plans<>();
        return plans.get(schema, () -> compiler().plan(AvroSchemas.of(schema)));
    }

    private static AvroBytes block(Blocks codec, byte[] message, int from, int to, int before) {
        byte[] made;
        try {
            made = codec.expanded(message, from, to, MOST_BYTES - before + 1);
        } catch (IOException bad) {
            throw new BadValue("Invalid data file. A block of codec " + codec.title + " cannot be read: "
                + BadValue.shown(String.valueOf(bad.getMessage())));
        }
        if (made.length > MOST_BYTES - before) {
            throw new BadValue("The blocks of an Avro file have more than " + MOST_BYTES + " bytes");
        }
        return new AvroBytes(made, 0);
    }
}
