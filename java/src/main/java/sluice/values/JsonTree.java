package sluice.values;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.Utf8;

/**
 * A value of a JSON document, as ClickHouse sees it: objects keep the order of their keys and every
 * one that comes twice, and numbers are Int64, UInt64 or Float64.
 */
public final class JsonTree {
    public enum Kind { NULL, BOOL, INT, UINT, DOUBLE, BIG, STRING, LIST, OBJECT }

    private static final JsonFactory FACTORY = JsonFactory.builder().streamReadConstraints(
        StreamReadConstraints.builder().maxNestingDepth(1024).maxStringLength(Integer.MAX_VALUE)
            .maxNumberLength(Integer.MAX_VALUE).build()).build();
    private static final int LONGEST = 310; // characters of an integer that a Float64 has
    private static final ThreadLocal<Last> LAST = ThreadLocal.withInitial(Last::new);

    public final Kind kind;
    public long whole; // of BOOL, INT and UINT
    public double real; // of DOUBLE and BIG
    public UTF8String text; // of STRING, and the digits of BIG, which is an integer beyond 64 bits
    public List<UTF8String> keys;
    public List<JsonTree> items;

    private JsonTree(Kind kind) {
        this.kind = kind;
    }

    /** The document last read by this thread: a row's document often has several parts extracted. */
    private static final class Last {
        UTF8String text;
        JsonTree tree;
    }

    /** The document in a text, null if it is none. */
    public static JsonTree of(UTF8String text) {
        Last last = LAST.get();
        if (last.text == null || !last.text.equals(text)) {
            byte[] bytes = text.getBytes();
            last.tree = of(bytes, 0, bytes.length);
            last.text = text.clone(); // the row's memory is used again for the next one
        }
        return last.tree;
    }

    /** The document in some bytes, null if they are none. */
    static JsonTree of(byte[] bytes, int from, int to) {
        if (!Utf8.valid(bytes, from, to)) return null;
        try (JsonParser in = FACTORY.createParser(bytes, from, to - from)) {
            JsonToken first = in.nextToken();
            JsonTree tree = first == null ? null : read(in, first);
            return tree == null || in.nextToken() != null ? null : tree;
        } catch (IOException bad) {
            return null;
        }
    }

    /** The value that begins with a token; null if ClickHouse takes none like it. */
    private static JsonTree read(JsonParser in, JsonToken token) throws IOException {
        switch (token) {
            case START_OBJECT:
            case START_ARRAY: return nested(in, token == JsonToken.START_OBJECT);
            case VALUE_STRING: return string(in.getText());
            case VALUE_NUMBER_INT: return number(in);
            case VALUE_NUMBER_FLOAT: {
                JsonTree found = new JsonTree(Kind.DOUBLE);
                found.real = in.getDoubleValue();
                return Double.isInfinite(found.real) ? null : found;
            }
            case VALUE_TRUE:
            case VALUE_FALSE: {
                JsonTree found = new JsonTree(Kind.BOOL);
                found.whole = token == JsonToken.VALUE_TRUE ? 1 : 0;
                return found;
            }
            default: return new JsonTree(Kind.NULL);
        }
    }

    private static JsonTree nested(JsonParser in, boolean object) throws IOException {
        JsonTree found = new JsonTree(object ? Kind.OBJECT : Kind.LIST);
        found.items = new ArrayList<>();
        if (object) found.keys = new ArrayList<>();
        for (JsonToken token; !(token = in.nextToken()).isStructEnd(); ) {
            if (object) {
                JsonTree key = string(in.currentName());
                if (key == null) return null;
                found.keys.add(key.text);
                token = in.nextToken();
            }
            JsonTree item = read(in, token);
            if (item == null) return null;
            found.items.add(item);
        }
        return found;
    }

    /** A string; none if it has an unpaired surrogate in it. */
    private static JsonTree string(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (!Character.isSurrogate(text.charAt(at))) continue;
            if (!Character.isSupplementaryCodePoint(text.codePointAt(at))) return null;
            at++;
        }
        JsonTree found = new JsonTree(Kind.STRING);
        found.text = UTF8String.fromString(text);
        return found;
    }

    private static JsonTree number(JsonParser in) throws IOException {
        if (in.getTextLength() > LONGEST) return null; // before its digits are multiplied
        if (in.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            JsonTree found = new JsonTree(Kind.INT);
            found.whole = in.getLongValue();
            return found;
        }
        BigInteger value = in.getBigIntegerValue();
        if (value.signum() > 0 && value.bitLength() == 64) {
            JsonTree found = new JsonTree(Kind.UINT);
            found.whole = value.longValue();
            return found;
        }
        JsonTree found = new JsonTree(Kind.BIG);
        found.real = value.doubleValue();
        found.text = UTF8String.fromString(value.toString());
        return Double.isInfinite(found.real) ? null : found;
    }

    /** The value of a key, the first one if there are several; null if there is none. */
    public JsonTree get(UTF8String key) {
        int at = kind == Kind.OBJECT ? keys.indexOf(key) : -1;
        return at < 0 ? null : items.get(at);
    }

    /** The item at a position, which counts from 1, or from the end if it is negative. */
    public JsonTree get(long position) {
        if (items == null || position == 0) return null;
        long at = position > 0 ? position - 1 : items.size() + position;
        return at < 0 || at >= items.size() ? null : items.get((int) at);
    }

    /** As JSON without blanks. */
    public UTF8String json() {
        Output out = new Output();
        write(out);
        return UTF8String.fromBytes(out.message());
    }

    private void write(Output out) {
        switch (kind) {
            case NULL: out.put("null"); break;
            case BOOL: out.put(whole == 1 ? "true" : "false"); break;
            case INT: out.put(whole); break;
            case UINT: out.put(Long.toUnsignedString(whole)); break;
            case DOUBLE: FloatText.write(real, out); break;
            case LIST:
            case OBJECT: {
                out.put(keys == null ? '[' : '{');
                for (int at = 0; at < items.size(); at++) {
                    if (at > 0) out.put(',');
                    if (keys != null) {
                        quoted(keys.get(at), out);
                        out.put(':');
                    }
                    items.get(at).write(out);
                }
                out.put(keys == null ? ']' : '}');
                break;
            }
            default: quoted(text, out);
        }
    }

    /** Write a text as JSON. */
    public static void quoted(UTF8String text, Output out) {
        int first = out.open('"');
        out.put(text);
        out.close(first, Escapes.JACKSON_TEXT, '"');
    }
}
