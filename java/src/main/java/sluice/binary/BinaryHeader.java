package sluice.binary;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import sluice.decode.Header;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** Reads the header that precedes the rows: how many fields they have, their names, and perhaps their types. */
final class BinaryHeader implements Header.Line<BinaryCursor>, Serializable {
    private static final int MOST = 100_000; // fields
    private static final long LONGEST = 1 << 24; // bytes of a name, and of a type

    /** What a header says, with its bytes: the messages of a topic often have the same one. */
    private record Known(byte[] bytes, Fields fields) {}

    private final Header header;
    private final Fields inOrder;
    private final BinaryValues skipped;
    private final boolean inBytes;
    private transient volatile Known last;

    BinaryHeader(String columns, TableColumns table, Settings settings) {
        List<TypeSpec.Column> given = TypeSpec.columns(columns);
        BinaryValues values = new BinaryValues(settings, settings.flag("input_format_binary_read_json_as_string"));
        skipped = values.skipped();
        header = new Header(table, settings);
        inOrder = new Fields(header.inOrder(),
            given.stream().map(each -> values.of(each.type())).toArray(BinaryValue[]::new));
        inBytes = settings.flag("input_format_binary_decode_types_in_binary_format");
    }

    /** The fields of a message; the table's own columns if it has no header. */
    Fields read(BinaryCursor in) {
        if (!header.present()) return inOrder;
        Known known = last;
        int first = in.at;
        if (known != null) {
            int after = first + known.bytes.length;
            if (after <= in.end && Arrays.equals(known.bytes, 0, known.bytes.length, in.bytes, first, after)) {
                in.at = after;
                return known.fields;
            }
        }
        try {
            in.names = new String[count(in)];
            in.types = header.typed() ? new String[in.names.length] : null;
            Fields found = fields(in, header.read(in, this));
            last = new Known(Arrays.copyOfRange(in.bytes, first, in.at), found);
            return found;
        } catch (BadValue bad) {
            throw new BadValue(bad.getMessage() + " (while reading header)");
        }
    }

    private static int count(BinaryCursor in) {
        int count = in.count(Long.MAX_VALUE, 1);
        if (count > MOST) throw new BadValue("Suspiciously many columns in header: " + count);
        return count;
    }

    /** A name, or a type once all names are read. */
    @Override
    public boolean field(BinaryCursor in, int count) {
        if (count == in.names.length) {
            in.named = true;
            return false;
        }
        if (in.named && inBytes) {
            byte[] text = TypeBytes.read(in, skipped.complexity).toString().getBytes(StandardCharsets.UTF_8);
            in.unescaped(text, text.length, in.at);
        } else {
            in.string(LONGEST);
        }
        (in.named ? in.types : in.names)[count] = new String(in.text, in.from, in.to - in.from, StandardCharsets.UTF_8);
        return true;
    }

    private Fields fields(BinaryCursor in, int[] columns) {
        BinaryValue[] found = new BinaryValue[columns.length];
        for (int i = 0; i < found.length; i++) {
            if (columns[i] != Header.SKIPPED) {
                found[i] = inOrder.values()[columns[i]];
            } else if (in.types != null) {
                found[i] = skipped.of(TypeSpecs.of(TypeParser.parse(in.types[i])));
            } else {
                throw new BadValue("Cannot skip unknown field in RowBinary format, because its type is unknown: "
                    + BadValue.shown(in.names[i]));
            }
        }
        return new Fields(columns, found);
    }
}
