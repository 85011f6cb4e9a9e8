package sluice.binary;

import sluice.scan.BadValue;
import sluice.scan.Cursor;

/** A position in documents of BSON: a field's kind and name, and then its value. No field is longer than its document. */
final class BsonCursor extends Cursor {
    /** What a value is, in ClickHouse's words for errors. */
    enum Kind {
        DOUBLE(0x01, "Double"), STRING(0x02, "String"), DOCUMENT(0x03, "Document"), ARRAY(0x04, "Array"),
        BINARY(0x05, "Binary"), UNDEFINED(0x06, "Undefined"), OBJECT_ID(0x07, "ObjectId"), BOOL(0x08, "Bool"),
        DATETIME(0x09, "Datetime"), NULL(0x0A, "Null"), REGEXP(0x0B, "Regexp"), DB_POINTER(0x0C, "DBPointer"),
        CODE(0x0D, "JavaScript code"), SYMBOL(0x0E, "Symbol"), CODE_WITH_SCOPE(0x0F, "JavaScript code w/ scope"),
        INT32(0x10, "Int32"), TIMESTAMP(0x11, "Timestamp"), INT64(0x12, "Int64"), DECIMAL128(0x13, "Decimal128"),
        MAX_KEY(0x7F, "Max key"), MIN_KEY(0xFF, "Min key");

        private static final Kind[] BY_CODE = new Kind[256];

        static {
            for (Kind each : values()) BY_CODE[each.code] = each;
        }

        final int code;
        final String called;

        Kind(int code, String called) {
            this.code = code;
            this.called = called;
        }
    }

    static final int OBJECT_ID = 12; // bytes of one
    private static final int LEAST = 5; // bytes of a document: its length, and the zero that ends it
    private static final int KNOWN = 8; // subtypes of binary data

    Kind kind;
    int subtype; // of binary data
    private int last; // where the zero stands that ends the innermost document
    private int after; // where the row's document ends

    BsonCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
        last = bytes.length;
    }

    /** Begin the document of the next row. */
    void openRow() {
        last = end;
        open();
        after = last + 1;
    }

    /** Go to the byte after the document of the row. */
    void closeRow() {
        at = after;
    }

    /** Begin a document that is a value; what {@link #close} has to be told. */
    int open() {
        int first = at;
        long size = four() & 0xFFFFFFFFL;
        if (size < LEAST) throw new BadValue("Invalid document size: " + size + " (at byte " + first + ")");
        if (size > last - first) throw tooShort(size - Integer.BYTES);
        int outer = last;
        last = first + (int) size - 1;
        return outer;
    }

    /** End one, once it has no further field. */
    void close(int outer) {
        last = outer;
    }

    /** Read the kind and the name of the next field, or the end of the document; whether it was a field. */
    boolean field() {
        int tag = bytes[at++] & 0xFF;
        if (at > last) {
            if (tag != 0) throw new BadValue("Cannot parse input: expected the end of a document (at byte " + last + ")");
            return false;
        }
        kind = Kind.BY_CODE[tag];
        if (kind == null) throw new BadValue(String.format("Unknown BSON type: 0x%02X (at byte %d)", tag, at - 1));
        int first = at;
        skipName();
        slice(first, at - 1);
        return true;
    }

    private void skipName() {
        int i = at;
        while (i < last && bytes[i] != 0) i++;
        if (i == last) throw tooShort(1);
        at = i + 1;
    }

    /** Consume so many bytes; where they begin. */
    int take(long count) {
        if (count > last - at) throw tooShort(count);
        int first = at;
        at += (int) count;
        return first;
    }

    private BadValue tooShort(long count) {
        return new BadValue("Cannot read all data. Bytes read: " + Math.max(0, last - at) + ". Bytes expected: " + count
            + " (at byte " + at + ")");
    }

    private int four() {
        return BinaryCursor.four(bytes, take(Integer.BYTES));
    }

    private long length() {
        return four() & 0xFFFFFFFFL;
    }

    /** The number that an INT32, an INT64 or another value of so many bytes is. */
    long number() {
        switch (kind) {
            case BOOL: return bytes[take(1)] & 0xFF;
            case INT32: return four();
            default: return BinaryCursor.eight(bytes, take(Long.BYTES));
        }
    }

    /** Read a text, which has a zero at its end. */
    void string() {
        int first = at;
        long length = length();
        if (length == 0) throw new BadValue("Incorrect size of a string (zero) in BSON (at byte " + first + ")");
        first = take(length);
        if (bytes[at - 1] != 0) throw new BadValue("Cannot parse input: a string has no zero at its end (at byte " + at + ")");
        slice(first, at - 1);
    }

    /** Read binary data of any subtype. */
    void binary() {
        long length = length();
        subtype = bytes[take(1)] & 0xFF;
        if (subtype >= KNOWN) {
            throw new BadValue(String.format("Unknown BSON binary subtype: 0x%02X (at byte %d)", subtype, at - 1));
        }
        int first = take(length);
        slice(first, at);
    }

    /** Skip a value. */
    void skip() {
        switch (kind) {
            case BOOL: take(1); break;
            case INT32: take(Integer.BYTES); break;
            case DOUBLE:
            case INT64:
            case DATETIME:
            case TIMESTAMP: take(Long.BYTES); break;
            case STRING:
            case CODE:
            case SYMBOL: take(length()); break;
            case BINARY: take(length() + 1); break;
            case OBJECT_ID: take(OBJECT_ID); break;
            case DECIMAL128: take(2 * Long.BYTES); break;
            case DB_POINTER: take(length() + OBJECT_ID); break;
            case REGEXP:
                skipName();
                skipName();
                break;
            case DOCUMENT:
            case ARRAY:
                int outer = open();
                at = last + 1;
                close(outer);
                break;
            case CODE_WITH_SCOPE:
                int first = at;
                long size = length();
                if (size < Integer.BYTES) throw new BadValue("Invalid java code_w_scope size: " + size + " (at byte " + first + ")");
                take(size - Integer.BYTES);
                break;
            default: // NULL and the like have no value
        }
    }
}
