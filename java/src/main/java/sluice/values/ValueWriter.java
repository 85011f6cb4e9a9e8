package sluice.values;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * How a value of one type is written. Where a value may be NULL, the caller of these methods looks
 * first; {@link #jsonOrNull} and {@link #quotedOrNull} do.
 */
public abstract class ValueWriter implements Serializable {
    /** The bare text of a value. */
    public abstract void plain(SpecializedGetters row, int at, Output out);

    /** As JSON. */
    public void json(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    /** As a key of a JSON object: always in quotes. */
    public void key(SpecializedGetters row, int at, Output out) {
        out.put('"');
        plain(row, at, out);
        out.put('"');
    }

    /** Within a list, a map or a tuple. */
    void quoted(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    /** As a field of TabSeparated. */
    public void escaped(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    /** As a field of CSV. */
    public void csv(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    public final void jsonOrNull(SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) out.put("null");
        else json(row, at, out);
    }

    final void quotedOrNull(SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) out.put("NULL");
        else quoted(row, at, out);
    }

    /** A value that stands in quotes where texts do, though nothing in it needs to be escaped. */
    public abstract static class InQuotes extends ValueWriter {
        @Override
        public void json(SpecializedGetters row, int at, Output out) {
            key(row, at, out);
        }

        @Override
        void quoted(SpecializedGetters row, int at, Output out) {
            out.put('\'');
            plain(row, at, out);
            out.put('\'');
        }

        @Override
        public void csv(SpecializedGetters row, int at, Output out) {
            key(row, at, out);
        }
    }
}
