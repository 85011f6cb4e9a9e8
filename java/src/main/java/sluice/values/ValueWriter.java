package sluice.values;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * Writes values of one type. Where a value may be NULL, the caller of these methods checks first;
 * {@link #jsonOrNull} and {@link #quotedOrNull} do.
 */
public interface ValueWriter extends Serializable {
    /** The bare text of a value. */
    void plain(SpecializedGetters row, int at, Output out);

    /** As JSON. */
    default void json(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    /** As a key of a JSON object: always in quotes. */
    default void key(SpecializedGetters row, int at, Output out) {
        out.put('"');
        plain(row, at, out);
        out.put('"');
    }

    /** Within an array, a map or a tuple. */
    default void quoted(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    /** As a field of TabSeparated. */
    default void escaped(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    /** As a field of CSV. */
    default void csv(SpecializedGetters row, int at, Output out) {
        plain(row, at, out);
    }

    default void jsonOrNull(SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) out.put("null");
        else json(row, at, out);
    }

    default void quotedOrNull(SpecializedGetters row, int at, Output out) {
        if (row.isNullAt(at)) out.put("NULL");
        else quoted(row, at, out);
    }

    /** A value that is in quotes wherever strings are, though nothing in it needs to be escaped. */
    interface InQuotes extends ValueWriter {
        @Override
        default void json(SpecializedGetters row, int at, Output out) {
            key(row, at, out);
        }

        @Override
        default void quoted(SpecializedGetters row, int at, Output out) {
            out.put('\'');
            plain(row, at, out);
            out.put('\'');
        }

        @Override
        default void csv(SpecializedGetters row, int at, Output out) {
            key(row, at, out);
        }
    }

    /** A value that may have characters in it which need to be escaped. */
    interface Escaped extends ValueWriter {
        /** How they are escaped in JSON. */
        Escapes escapes();

        @Override
        default void key(SpecializedGetters row, int at, Output out) {
            within('"', escapes(), row, at, out);
        }

        @Override
        default void quoted(SpecializedGetters row, int at, Output out) {
            within('\'', Escapes.TAB, row, at, out);
        }

        @Override
        default void escaped(SpecializedGetters row, int at, Output out) {
            int first = out.size;
            plain(row, at, out);
            Escapes.TAB.from(out, first);
        }

        @Override
        default void csv(SpecializedGetters row, int at, Output out) {
            within('"', Escapes.CSV, row, at, out);
        }

        private void within(char quote, Escapes escapes, SpecializedGetters row, int at, Output out) {
            int first = out.open(quote);
            plain(row, at, out);
            out.close(first, escapes, quote);
        }
    }
}
