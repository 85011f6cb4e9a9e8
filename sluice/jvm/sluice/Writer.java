package sluice;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * How a value of one type is written. Where a value may be NULL, the caller of these methods looks
 * first; {@link #jsonOrNull} and {@link #quotedOrNull} do.
 */
abstract class Writer implements Serializable {
    /** The bare text of a value. */
    abstract void plain(SpecializedGetters row, int at, Out out);

    /** As JSON. */
    void json(SpecializedGetters row, int at, Out out) {
        plain(row, at, out);
    }

    /** As a key of a JSON object: always in quotes. */
    void key(SpecializedGetters row, int at, Out out) {
        out.put('"');
        plain(row, at, out);
        out.put('"');
    }

    /** Within a list, a map or a tuple. */
    void quoted(SpecializedGetters row, int at, Out out) {
        plain(row, at, out);
    }

    /** As a field of TabSeparated. */
    void escaped(SpecializedGetters row, int at, Out out) {
        plain(row, at, out);
    }

    /** As a field of CSV. */
    void csv(SpecializedGetters row, int at, Out out) {
        plain(row, at, out);
    }

    final void jsonOrNull(SpecializedGetters row, int at, Out out) {
        if (row.isNullAt(at)) out.put("null");
        else json(row, at, out);
    }

    final void quotedOrNull(SpecializedGetters row, int at, Out out) {
        if (row.isNullAt(at)) out.put("NULL");
        else quoted(row, at, out);
    }

    /** A value that stands in quotes where texts do, though nothing in it needs to be escaped. */
    abstract static class InQuotes extends Writer {
        @Override
        void json(SpecializedGetters row, int at, Out out) {
            key(row, at, out);
        }

        @Override
        void quoted(SpecializedGetters row, int at, Out out) {
            out.put('\'');
            plain(row, at, out);
            out.put('\'');
        }

        @Override
        void csv(SpecializedGetters row, int at, Out out) {
            key(row, at, out);
        }
    }
}
