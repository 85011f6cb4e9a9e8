package sluice.scan;

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** What a message says is not what its table expects; the text is for the user. */
public final class BadValue extends RuntimeException {
    private static final int SHOWN = 200;

    public BadValue(String message) {
        super(message, null, false, false);
    }

    /** A value that is there but is none of its type. */
    public static BadValue of(byte[] bytes, int from, int to, String type) {
        return new BadValue("Cannot parse '" + shown(bytes, from, to) + "' as " + type);
    }

    /** The same, with the name of the column it was read for, which is called a key or a column. */
    public BadValue at(String called, String name) {
        return new BadValue(getMessage() + " (while reading the value of " + called + " " + name + ")");
    }

    /** The same, with the number of the row in its message. */
    public BadValue atRow(int row) {
        return new BadValue(getMessage() + " (at row " + row + ")");
    }

    /** The same, with the name of the field, in Flink's words. */
    public BadValue inField(String name) {
        return new BadValue("Fail to deserialize at field: " + name + ". " + getMessage());
    }

    /** The only row of a bad message: the error, and columns without a value. */
    public ArrayData row(int columns) {
        Object[] row = new Object[columns + 1];
        row[0] = UTF8String.fromString(getMessage());
        return new GenericArrayData(new Object[] {new GenericInternalRow(row)});
    }

    /** As much of a text as an error shows. */
    public static String shown(byte[] bytes, int from, int to) {
        int length = Math.min(to - from, 4 * SHOWN); // bytes that so many letters have at most
        return shown(new String(bytes, from, length, java.nio.charset.StandardCharsets.UTF_8));
    }

    public static String shown(String text) {
        return text.codePointCount(0, text.length()) <= SHOWN
            ? text : text.substring(0, text.offsetByCodePoints(0, SHOWN));
    }
}
