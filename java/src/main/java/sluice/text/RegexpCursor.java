package sluice.text;

import com.google.re2j.Matcher;
import sluice.scan.Cursor;

/** A place in lines, and what a pattern has matched in the last one. */
final class RegexpCursor extends Cursor {
    Matcher match;
    byte[] line;

    RegexpCursor(byte[] bytes) {
        super(bytes, 0, bytes.length);
    }
}
