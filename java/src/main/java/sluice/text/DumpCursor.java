package sluice.text;

import sluice.scan.QuotedText;

/** A place in a dump of MySQL, between its statements and within those that insert rows. */
final class DumpCursor extends QuotedText {
    int[] order; // the columns of a row's values
    byte[] table; // whose rows are read; empty for the first one

    DumpCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }

    /** Go behind INSERT INTO, past comments and other statements; whether there is one. */
    boolean insert() {
        while (statement()) {
            letters();
            if (!is(' ')) throw expected("a blank");
            if (isWord("create")) throw expected("no columns of another statement");
            if (isWord("insert") || isWord("replace")) {
                word("into");
                return true;
            }
            skipStatement();
        }
        return false;
    }

    /** Skip comments, up to a statement; whether there is one. */
    private boolean statement() {
        while (true) {
            int next = peek();
            if (next == '-' && isNext('-')) {
                skipLine();
            } else if (next == '/' && isNext('*')) {
                at += 2;
                while (at < end && !(bytes[at] == '*' && isNext('/'))) at++;
                skipLine();
            } else {
                return next >= 0;
            }
        }
    }

    private boolean isNext(char second) {
        return at + 1 < end && bytes[at + 1] == second;
    }

    /** Go behind a statement without quotes, but for names in backticks. */
    private void skipStatement() {
        while (at < end && bytes[at] != ';') {
            if (bytes[at] == '`') {
                ticked();
            } else if (bytes[at] == '\'' || bytes[at] == '"' || bytes[at] == '\\') {
                throw expected("no quotes");
            } else {
                at++;
            }
        }
        is(';');
    }

    /** Consume a word, which ends where letters do. */
    void word(String wanted) {
        peek();
        letters();
        if (!isWord(wanted)) throw expected(wanted);
    }

    private void letters() {
        int first = at;
        while (at < end && isLetter(bytes[at])) at++;
        slice(first, at);
    }

    private static boolean isLetter(byte b) {
        return (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
    }

    private boolean isWord(String wanted) {
        if (to - from != wanted.length()) return false;
        for (int i = from; i < to; i++) {
            if ((bytes[i] | 0x20) != wanted.charAt(i - from)) return false;
        }
        return true;
    }

    /** Read the name of a table, which ends before a blank, or a column's, which also ends where another one begins. */
    void name(boolean column) {
        if (peek() == '`') {
            ticked();
            return;
        }
        int first = at;
        while (at < end && (isLetter(bytes[at]) || bytes[at] >= '0' && bytes[at] <= '9' || bytes[at] == '_')) at++;
        slice(first, at);
        boolean ends = at < end && (bytes[at] == ' ' || column && (bytes[at] == ',' || bytes[at] == ')'));
        if (first == at || !ends) throw expected("the end of a name");
    }

    /** Read a name in backticks, which has none and no backslash in it. */
    private void ticked() {
        int first = ++at;
        while (at < end && bytes[at] != '`' && bytes[at] != '\\') at++;
        slice(first, at);
        if (first == at || !is('`') || at < end && bytes[at] == '`') throw expected("the end of a name");
    }
}
