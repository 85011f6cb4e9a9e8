package sluice.binary;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.scan.BadValue;
import sluice.values.Output;
import sluice.values.Settings;
import sluice.values.TypeSpec;

/** The types of columns in blocks: how they are laid out, and how they become those of the table. */
final class NativeTypes implements Serializable {
    private static final long LONGEST = 1 << 24; // bytes of a type
    private static final int MOST = 1000; // types of messages that are remembered

    /** A column of a message, and what makes its values those of the table's column, if they are not. */
    record Kind(NativeColumn column, NativeConversion conversion) implements Serializable {}

    private record Key(int column, String type) implements Serializable {}

    private final Settings settings;
    private final String[] declared;
    private final byte[][] headings;
    private final TypeSpec[] types;
    private final Kind[] own;
    private final NativeColumns skipped;
    private final boolean inBytes;
    private final boolean converts;
    private final int complexity;
    private final Map<Key, Kind> others = new ConcurrentHashMap<>();

    NativeTypes(String columns, Settings settings) {
        this.settings = settings;
        declared = TypeSpec.columns(columns).stream().map(each -> each.type().declared()).toArray(String[]::new);
        headings = TypeSpec.columns(columns).stream()
            .map(each -> heading(each.name(), each.type().declared())).toArray(byte[][]::new);
        types = Arrays.stream(declared).map(each -> TypeSpecs.of(TypeParser.parse(each))).toArray(TypeSpec[]::new);
        BinaryValues values = new BinaryValues(settings, true);
        NativeColumns made = new NativeColumns(values);
        own = Arrays.stream(types).map(each -> new Kind(made.of(each), null)).toArray(Kind[]::new);
        skipped = new NativeColumns(values.skipped());
        inBytes = settings.flag("input_format_native_decode_types_in_binary_format");
        converts = settings.flag("input_format_native_allow_types_conversion");
        complexity = settings.number("input_format_binary_max_type_complexity");
    }

    /** The name and the type of a column, as text. */
    private static byte[] heading(String name, String type) {
        Output out = new Output();
        TypeBytes.text(name, out);
        TypeBytes.text(type, out);
        return out.message();
    }

    /** Consume the name and the type of a column of the table, if they come next as they are. */
    boolean tookOwn(BinaryCursor in, int column) {
        if (inBytes || column >= headings.length) return false;
        byte[] heading = headings[column];
        int after = in.at + heading.length;
        if (after > in.end || !Arrays.equals(heading, 0, heading.length, in.bytes, in.at, after)) return false;
        in.at = after;
        return true;
    }

    /** A column of the table. */
    Kind own(int column) {
        return own[column];
    }

    /** Read the type of a column that is the table's, or -1. */
    Kind read(BinaryCursor in, int column) {
        String text;
        if (inBytes) {
            text = TypeBytes.read(in, complexity).toString();
        } else {
            in.string(LONGEST);
            text = new String(in.text, in.from, in.to - in.from, StandardCharsets.UTF_8);
        }
        if (column >= 0 && text.equals(declared[column])) return own[column];
        Key key = new Key(column, text);
        Kind known = others.get(key);
        if (known != null) return known;
        if (others.size() >= MOST) others.clear();
        Kind found = other(column, text);
        others.put(key, found);
        return found;
    }

    private Kind other(int column, String text) {
        TypeSpec type = TypeSpecs.of(TypeParser.parse(text));
        if (column < 0) return new Kind(skipped.of(type), null);
        if (!converts) throw cannot(text, column);
        try {
            if (type.kind().equals("nothing") || NativeConversion.same(type, types[column])) {
                return new Kind(new NativeColumns(new BinaryValues(settings, true)).of(type), null);
            }
            return new Kind(skipped.of(type), new NativeConversion(type, types[column], settings));
        } catch (IllegalArgumentException | DateTimeException noText) { // a type that no column has, no time zone
            throw cannot(text, column);
        }
    }

    private BadValue cannot(String type, int column) {
        return new BadValue("Cannot convert: " + BadValue.shown(type) + " to " + declared[column]);
    }
}
