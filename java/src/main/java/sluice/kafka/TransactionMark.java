package sluice.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * What a Debezium change event tells of its source transaction.
 *
 * @param id the transaction, as {@link #key} has it
 * @param order the number of the event among all events of the transaction; 0 if it has none
 */
record TransactionMark(String id, long order) {
    private static final byte[] PAYLOAD = "payload".getBytes(UTF_8);
    private static final byte[] TRANSACTION = "transaction".getBytes(UTF_8);
    private static final byte[] ID = "id".getBytes(UTF_8);
    private static final byte[] ORDER = "total_order".getBytes(UTF_8);

    /** The mark of a message; null for one without: a snapshot's, a tombstone, one that is no JSON. */
    static TransactionMark of(byte[] message) {
        if (message == null) {
            return null;
        }
        try {
            return new Scan(message).envelope();
        } catch (ArrayIndexOutOfBoundsException truncated) {
            return null; // whoever decodes it reports it
        }
    }

    /**
     * What is equal for all events of a transaction, BEGIN and END included.
     *
     * <p>PostgreSQL's connector writes the transaction and the position of each event in the log, as
     * two numbers with a colon between them.
     */
    static String key(String id) {
        int colon = id.indexOf(':');
        return colon > 0 && digits(id, 0, colon) && digits(id, colon + 1, id.length())
                ? id.substring(0, colon)
                : id;
    }

    private static boolean digits(String text, int from, int until) {
        for (int at = from; at < until; at++) {
            if (text.charAt(at) < '0' || text.charAt(at) > '9') {
                return false;
            }
        }
        return from < until;
    }

    /** Reads the envelope's own fields and steps over the values of all others. */
    private static final class Scan {
        private final byte[] text;
        private int at;
        private int nameFrom;
        private int nameUntil;

        Scan(byte[] text) {
            this.text = text;
        }

        /** The mark in the object that begins here, or in its payload. */
        TransactionMark envelope() {
            blanks();
            if (text[at++] != '{') {
                return null;
            }
            while (field()) {
                if (named(PAYLOAD) && text[at] == '{') {
                    return envelope();
                }
                if (named(TRANSACTION)) {
                    return text[at] == '{' ? transaction() : null;
                }
                skip();
            }
            return null;
        }

        private TransactionMark transaction() {
            String id = null;
            long order = 0;
            at++;
            while (field()) {
                boolean isId = named(ID);
                boolean isOrder = named(ORDER);
                int from = at;
                skip();
                boolean quoted = text[from] == '"';
                String value = isId || isOrder
                        ? new String(text, quoted ? from + 1 : from, at - from - (quoted ? 2 : 0), UTF_8)
                        : "";
                if (isId && (quoted || !value.equals("null"))) {
                    id = key(value);
                } else if (isOrder && value.length() < 19 && digits(value, 0, value.length())) {
                    order = Long.parseLong(value);
                }
            }
            return id == null ? null : new TransactionMark(id, order);
        }

        /** Moves to the value of the next field of an object; false at the object's end. */
        private boolean field() {
            blanks();
            if (text[at] == ',') {
                at++;
                blanks();
            }
            if (text[at] != '"') {
                at++;
                return false;
            }
            nameFrom = at + 1;
            string();
            nameUntil = at - 1;
            blanks();
            at++; // the colon
            blanks();
            return true;
        }

        private boolean named(byte[] name) {
            return Arrays.equals(text, nameFrom, nameUntil, name, 0, name.length);
        }

        private void blanks() {
            while (text[at] <= ' ' && text[at] >= 0) {
                at++;
            }
        }

        /** Moves after the string that begins here. */
        private void string() {
            at++;
            while (text[at] != '"') {
                at += text[at] == '\\' ? 2 : 1;
            }
            at++;
        }

        /** Moves after the value that begins here. */
        private void skip() {
            if (text[at] == '"') {
                string();
            } else if (text[at] == '{' || text[at] == '[') {
                int depth = 0;
                do {
                    switch (text[at]) {
                        case '"' -> {
                            string();
                            continue;
                        }
                        case '{', '[' -> depth++;
                        case '}', ']' -> depth--;
                        default -> { }
                    }
                    at++;
                } while (depth > 0);
            } else {
                while (text[at] != ',' && text[at] != '}' && text[at] > ' ') {
                    at++;
                }
            }
        }
    }
}
