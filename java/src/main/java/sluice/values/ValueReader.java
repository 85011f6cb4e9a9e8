package sluice.values;

import java.io.Serializable;
import sluice.scan.BadValue;
import sluice.scan.Cursor;
import sluice.scan.JsonCursor;
import sluice.scan.QuotedText;

/**
 * How a value of one type is read. A value that is there but does not fit is an error, never a
 * default; one that is null or missing is the type's default, or NULL if the type allows that.
 */
public abstract class ValueReader implements Serializable {
    public final String type;
    public final Object missing;
    boolean strict; // whether NULL is refused, because the type cannot hold it
    public Object nothing; // what a NULL that is written becomes
    boolean emptyIsDefault; // whether an empty text in JSON is the type's default

    /** The type's name for errors, and what Spark holds where a message says nothing. */
    public ValueReader(String type, Object missing) {
        this.type = type;
        this.missing = missing;
        this.nothing = missing;
    }

    /** The value of a text. */
    public abstract Object text(byte[] bytes, int from, int to);

    /** The value of a number that is not in quotes. */
    public Object number(byte[] bytes, int from, int to) {
        return text(bytes, from, to);
    }

    /** The value of a field that is empty. */
    public Object empty() {
        return text(new byte[0], 0, 0);
    }

    /** The value of a field that has just been read. */
    public Object field(Cursor in) {
        return text(in.text, in.from, in.to);
    }

    /** The value within a list, a map or a tuple that is not JSON. */
    public Object quoted(QuotedText in) {
        in.item();
        if (in.isNull()) return none();
        return text(in.text, in.from, in.to);
    }

    /** The value where NULL is written. */
    public final Object none() {
        if (strict) throw new BadValue("Unexpected NULL value of not Nullable type " + type);
        return nothing;
    }

    /** The value that comes next. */
    public Object json(JsonCursor in) {
        switch (in.next()) {
            case JsonCursor.NULL: return none();
            case JsonCursor.LIST:
            case JsonCursor.OBJECT: throw wrong(in);
            case JsonCursor.NUMBER: return number(in.text, in.from, in.to);
            default:
                if (emptyIsDefault && in.from == in.to) return missing;
                return text(in.text, in.from, in.to);
        }
    }

    public BadValue wrong(byte[] bytes, int from, int to) {
        return BadValue.of(bytes, from, to, type);
    }

    /** The list or object that comes next cannot be one of these. */
    public BadValue wrong(JsonCursor in) {
        in.skip();
        return wrong(in.text, in.from, in.to);
    }
}
