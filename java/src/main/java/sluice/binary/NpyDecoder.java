package sluice.binary;

import java.util.Arrays;
import java.util.Set;
import sluice.decode.RowDecoder;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/**
 * Files of NumPy: the values of one column, in arrays of one length each.
 *
 * <p>The column has to have the type of the values, so that nothing is converted, and the message their bytes.
 */
public final class NpyDecoder extends RowDecoder<BinaryCursor> {
    /** A header with what it means: those of a topic are often the same. */
    private record Known(byte[] text, long bytes, Fields fields) {}

    private static final Set<String> INTEGERS = Set.of("whole", "unsigned64", "bool");

    private final String kind; // of the type of the values in the arrays
    private final BinaryValue value;
    private final int depth; // arrays within each other
    private transient volatile Known last;

    public NpyDecoder(String columns, Settings settings) {
        super(columns, settings, null);
        TypeSpec type = TypeSpec.columns(columns).get(0).type();
        int arrays = 0;
        for (; type.kind().equals("items"); arrays++) type = type.inner("item");
        depth = arrays;
        kind = type.kind();
        value = new BinaryValues(settings, false).of(type);
    }

    @Override
    protected BinaryCursor open(byte[] message) {
        return new BinaryCursor(message);
    }

    @Override
    protected boolean begin(BinaryCursor in) {
        int first = NpyHeader.text(in);
        Known known = last;
        if (known == null || !Arrays.equals(known.text, 0, known.text.length, in.bytes, first, in.at)) {
            known = last = known(Arrays.copyOfRange(in.bytes, first, in.at));
        }
        if (known.bytes != in.end - in.at) {
            throw new BadValue((in.end - in.at) + " bytes of values, and not " + known.bytes);
        }
        in.fields = known.fields;
        return true;
    }

    private Known known(byte[] text) {
        NpyHeader header = NpyHeader.of(text);
        int[] shape = header.shape();
        if (shape.length != depth + 1) throw new BadValue("Unexpected nesting level of column " + table.names.get(0));
        BinaryValue found = value(header);
        for (int i = depth; i > 0; i--) {
            if ((long) found.least * shape[i] > Integer.MAX_VALUE) throw new BadValue("A row is too large");
            found = new NpyValue.ArrayValue(found, shape[i]);
        }
        return new Known(text, (long) found.least * shape[0], new Fields(new int[] {0}, new BinaryValue[] {found}));
    }

    private BinaryValue value(NpyHeader header) {
        int size = header.size();
        switch (header.kind()) {
            case 'S': return text(size);
            case 'U': return text((long) size * Integer.BYTES);
            default:
                boolean like = header.kind() == 'f' ? kind.equals("floating") : INTEGERS.contains(kind);
                if (!like || value.least != size) throw unlike();
                return value;
        }
    }

    private BinaryValue text(long bytes) {
        if (bytes > Integer.MAX_VALUE) throw unlike();
        if (kind.equals("text")) return new NpyValue.Text(value.type, bytes);
        if (!kind.equals("fixed") || bytes > value.least) throw unlike();
        return new NpyValue.Filled(value.type, bytes, value.least);
    }

    private BadValue unlike() {
        return new BadValue("Values of another type than " + value.type);
    }

    @Override
    protected boolean recovers() {
        return false;
    }

    @Override
    protected Object[] row(BinaryCursor in) {
        Object[] row = table.row();
        row[1] = in.fields.values()[0].read(in);
        return table.filled(row);
    }
}
