package sluice.json;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.binary.TypeNames;
import sluice.decode.Header;
import sluice.decode.TableColumns;
import sluice.scan.BadValue;
import sluice.scan.JsonCursor;
import sluice.scan.NameTable;
import sluice.values.Settings;

/** Reads what precedes the data of some formats: {@code {"meta": [{"name": …, "type": …}, …], "data":}}. */
final class Metadata implements Header.Line<JsonCursor>, Serializable {
    /** A column that a message names. */
    private record Field(byte[] name, String type) {}

    /** What messages say, with its bytes: those of a topic often say the same. */
    private record Known(byte[] bytes, int[] order) {}

    private final TableColumns table;
    private final NameTable names;
    private final Header header; // if rows are lists
    private final boolean validates;
    private transient volatile Known last;

    /** {@code lists}: whether rows are lists, whose values are for columns in the order of the names. */
    Metadata(TableColumns table, Settings settings, boolean lists) {
        this.table = table;
        names = new NameTable(table.names);
        header = lists ? new Header(table, settings.with("input_format_with_names_use_header", "true")) : null;
        validates = settings.flag("input_format_json_validate_types_from_metadata");
    }

    /** Read it and the bracket that opens the data; the column of each value of a row that is a list. */
    int[] read(JsonCursor in, char bracket) {
        Known known = known(in);
        if (known == null) return unknown(in, bracket);
        in.at += known.bytes.length;
        return known.order;
    }

    /** Whether a message begins with it, and not with a row; nothing is consumed. */
    boolean isNext(JsonCursor in) {
        if (known(in) != null) return true;
        int first = in.at;
        try {
            if (fields(in).isEmpty()) return false;
            in.take(',');
            return !isKey(in, "data") || in.peek() == '[';
        } catch (BadValue row) {
            return false;
        } finally {
            in.at = first;
        }
    }

    private Known known(JsonCursor in) {
        in.peek();
        Known known = last;
        if (known == null || known.bytes.length > in.end - in.at) return null;
        int length = known.bytes.length;
        return Arrays.equals(known.bytes, 0, length, in.bytes, in.at, in.at + length) ? known : null;
    }

    private int[] unknown(JsonCursor in, char bracket) {
        int first = in.at;
        int[] order = header == null ? null : header.inOrder();
        try {
            List<Field> fields = fields(in);
            in.take(',');
            if (!isKey(in, "data")) throw in.expected("the value of \"data\", which follows that of \"meta\",");
            in.take(bracket);
            if (validates) {
                fields.forEach(this::check);
                if (header != null) order = order(in, fields);
            }
        } catch (BadValue bad) {
            throw new BadValue(bad.getMessage() + " (while reading header)");
        }
        last = new Known(Arrays.copyOfRange(in.bytes, first, in.at), order);
        return order;
    }

    private int[] order(JsonCursor in, List<Field> fields) {
        in.names = fields.stream().map(Field::name).toArray(byte[][]::new);
        return header.read(in, this);
    }

    private static List<Field> fields(JsonCursor in) {
        in.take('{');
        if (!isKey(in, "meta")) throw in.expected("the value of \"meta\", with columns' names and types,");
        in.take('[');
        List<Field> found = new ArrayList<>();
        for (boolean more = !in.took(']'); more; more = in.another(']')) found.add(field(in));
        return found;
    }

    private static Field field(JsonCursor in) {
        byte[] name = null;
        byte[] type = null;
        in.take('{');
        for (int i = 0; i < 2; i++) {
            if (i > 0) in.take(',');
            boolean named = isKey(in, "name");
            if (!named && !in.isText("type")) throw in.expected("the value of \"name\" or \"type\"");
            if (in.peek() != '"') throw in.expected("a string in quotes");
            in.next();
            byte[] text = Arrays.copyOfRange(in.text, in.from, in.to);
            if (named) name = text;
            else type = text;
        }
        if (name == null || type == null) throw in.expected("a name and a type");
        in.take('}');
        return new Field(name, new String(type, StandardCharsets.UTF_8));
    }

    private static boolean isKey(JsonCursor in, String name) {
        in.key();
        return in.isText(name);
    }

    private void check(Field field) {
        int column = names.find(field.name, 0, field.name.length);
        if (column < 0 || TypeNames.same(field.type, table.declared(column))) return;
        throw new BadValue("Type " + BadValue.shown(field.type) + " of column '" + table.names.get(column)
            + "' from metadata is not the same as type in header " + table.declared(column));
    }

    /** A name. */
    @Override
    public boolean field(JsonCursor in, int count) {
        if (count == in.names.length) return false;
        in.unescaped(in.names[count], in.names[count].length, in.at);
        return true;
    }
}
