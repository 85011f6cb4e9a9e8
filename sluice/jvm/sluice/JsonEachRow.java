package sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * JSON objects, one or several in a message: with blanks, line ends, commas or nothing between them,
 * or in a list.
 */
public final class JsonEachRow implements Decoder {
    private static final GenericArrayData NOTHING = new GenericArrayData(new Object[0]);

    private final String[] names;
    private final byte[][] keys;
    private final Value[] values;
    private final int[] table; // open addressing: a column's number + 1 at the hash of its name

    /** A decoder for {@code [{"column": name, "type": {…}}, …]}. */
    public JsonEachRow(String columns) {
        JsonNode described = Values.tree(columns);
        int count = described.size();
        names = new String[count];
        keys = new byte[count][];
        values = new Value[count];
        int size = Integer.highestOneBit(4 * count + 4);
        table = new int[size];
        for (int i = 0; i < count; i++) {
            names[i] = described.get(i).get("column").asText();
            keys[i] = names[i].getBytes(StandardCharsets.UTF_8);
            values[i] = Values.of(described.get(i).get("type"));
            int slot = hash(keys[i], 0, keys[i].length) & size - 1;
            while (table[slot] != 0) slot = slot + 1 & size - 1;
            table[slot] = i + 1;
        }
    }

    @Override
    public ArrayData decode(byte[] message) {
        Json in = new Json(message);
        try {
            return rows(in);
        } catch (BadValue bad) {
            Object[] row = new Object[values.length + 1];
            row[0] = UTF8String.fromString(bad.getMessage());
            return one(row);
        }
    }

    private static ArrayData one(Object[] row) {
        return new GenericArrayData(new Object[] {new GenericInternalRow(row)});
    }

    private ArrayData rows(Json in) {
        if (in.end >= 3 && in.bytes[0] == (byte) 0xEF && in.bytes[1] == (byte) 0xBB
                && in.bytes[2] == (byte) 0xBF) in.at = 3;
        if (in.peek() < 0) return NOTHING;
        if (in.took('[')) return list(in);
        Object[] first = object(in);
        if (in.peek() < 0) return one(first);
        List<Object> found = new ArrayList<>();
        found.add(new GenericInternalRow(first));
        while (in.peek() >= 0) {
            in.took(',');
            if (in.peek() >= 0) found.add(new GenericInternalRow(object(in)));
        }
        return new GenericArrayData(found.toArray());
    }

    private ArrayData list(Json in) {
        List<Object> found = new ArrayList<>();
        if (!in.took(']')) {
            do {
                found.add(new GenericInternalRow(object(in)));
            } while (in.took(','));
            if (!in.took(']')) throw in.expected("',' or ']'");
        }
        if (in.peek() >= 0) throw in.expected("nothing");
        return new GenericArrayData(found.toArray());
    }

    private Object[] object(Json in) {
        in.take('{');
        Object[] row = new Object[values.length + 1];
        if (!in.took('}')) {
            int column = -1;
            do {
                in.key();
                column = column(in, column + 1);
                if (column < 0) {
                    in.skip();
                    continue;
                }
                try {
                    row[column + 1] = values[column].json(in);
                } catch (BadValue bad) {
                    throw bad.at(names[column]);
                }
            } while (in.took(','));
            if (!in.took('}')) throw in.expected("',' or '}'");
        }
        for (int i = 0; i < values.length; i++) {
            if (row[i + 1] == null) row[i + 1] = values[i].missing;
        }
        return row;
    }

    /** The column that the key just read names, or -1; most often it is the one that was guessed. */
    private int column(Json in, int guess) {
        int from = in.from;
        int length = in.to - from;
        if (guess < keys.length && same(keys[guess], in.text, from, length)) return guess;
        int slot = hash(in.text, from, length) & table.length - 1;
        while (table[slot] != 0) {
            int column = table[slot] - 1;
            if (same(keys[column], in.text, from, length)) return column;
            slot = slot + 1 & table.length - 1;
        }
        return -1;
    }

    private static boolean same(byte[] key, byte[] text, int from, int length) {
        return key.length == length
            && java.util.Arrays.equals(key, 0, length, text, from, from + length);
    }

    private static int hash(byte[] text, int from, int length) {
        int hash = 1;
        for (int i = from; i < from + length; i++) hash = 31 * hash + text[i];
        return hash ^ hash >>> 15;
    }
}
