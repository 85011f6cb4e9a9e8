package sluice.functions;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.scan.Utf8;

/**
 * Matches of a pattern in the bytes of a text, which need not be UTF-8.
 *
 * <p>RE2/J takes every byte for a part of a letter. A text that is no UTF-8 is therefore matched as
 * characters, in which each byte that belongs to no letter is one that no pattern names.
 */
final class Subject {
    private static final char ESCAPED = 0xDC00; // halves of pairs, which UTF-8 has not

    private final Pattern pattern;
    private final byte[] bytes;
    private final Matcher matcher;
    private final int[] offsets; // of each character in the bytes; null where they are matched themselves
    private final String characters;
    private Matcher single; // in which every byte is a character
    private int next; // where to look for the next match

    Subject(UTF8String text, Pattern pattern) {
        this.pattern = pattern;
        bytes = text.getBytes();
        if (asBytes(text)) {
            offsets = null;
            characters = null;
            matcher = pattern.matcher(bytes);
        } else {
            offsets = new int[bytes.length + 1];
            characters = characters(bytes, offsets);
            matcher = pattern.matcher(characters);
        }
    }

    /** RE2/J takes the place after a letter beyond ASCII for the beginning, if it matches bytes. */
    private boolean asBytes(UTF8String text) {
        String written = pattern.pattern().replace("[^", "");
        boolean anchored = written.contains("^") || written.contains("\\A");
        return anchored ? text.isFullAscii() : Utf8.valid(bytes, 0, bytes.length);
    }

    /** Go to the next match; after an empty one it begins at the next letter at the earliest. */
    boolean find() {
        if (next < 0 || !matcher.find(next)) return false;
        next = matcher.end() > matcher.start() ? matcher.end() : after(matcher.end());
        return true;
    }

    private int after(int at) {
        if (at == (offsets == null ? bytes.length : characters.length())) return -1;
        return offsets == null ? Utf8.next(bytes, at, bytes.length) : characters.offsetByCodePoints(at, 1);
    }

    int groups() {
        return matcher.groupCount();
    }

    /** Where a group begins, -1 if it is not part of the match. */
    int start(int group) {
        return offset(matcher.start(group));
    }

    int end(int group) {
        return offset(matcher.end(group));
    }

    private int offset(int at) {
        return at < 0 || offsets == null ? at : offsets[at];
    }

    /** The text of a group, null if it is not part of the match. */
    UTF8String group(int group) {
        int start = start(group);
        return start < 0 ? null : slice(start, end(group));
    }

    UTF8String slice(int from, int to) {
        return UTF8String.fromBytes(bytes, from, to - from);
    }

    int size() {
        return bytes.length;
    }

    /** Whether a byte continues a letter and the pattern matches an empty text before it. */
    boolean matchesWithin(int at) {
        if (at >= bytes.length || (bytes[at] & 0xC0) != 0x80) return false;
        if (single == null) {
            char[] each = new char[bytes.length];
            for (int n = 0; n < each.length; n++) {
                each[n] = bytes[n] < 0 ? (char) (ESCAPED + (bytes[n] & 0xff)) : (char) bytes[n];
            }
            single = pattern.matcher(new String(each));
        }
        return single.find(at) && single.start() == at && single.end() == at;
    }

    private static String characters(byte[] bytes, int[] offsets) {
        StringBuilder out = new StringBuilder(bytes.length);
        for (int at = 0; at < bytes.length; ) {
            int next = Utf8.next(bytes, at, bytes.length);
            int first = out.length();
            if (next < 0) {
                out.append((char) (ESCAPED + (bytes[at] & 0xff)));
                next = at + 1;
            } else {
                out.append(new String(bytes, at, next - at, StandardCharsets.UTF_8));
            }
            Arrays.fill(offsets, first, out.length(), at);
            offsets[out.length()] = next;
            at = next;
        }
        return out.toString();
    }
}
