package sluice;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Users' regular expressions in SQL, matched by RE2 in linear time whatever they are.
 *
 * <p>Spark's own functions match by backtracking, which for some patterns never comes to an end: in a
 * task, or on the driver, where the optimizer computes what has only literals in it.
 */
public final class Regex {
    private static final Map<UTF8String, Pattern> COMPILED = new ConcurrentHashMap<>();
    private static final int MOST = 1000;

    private Regex() {}

    /** Whether a pattern matches a part of a text. */
    public static boolean like(UTF8String text, UTF8String pattern) {
        return compiled(pattern).matcher(text.getBytes()).find();
    }

    /** A group of the first match; NULL if nothing matches, or not this group, or there is none. */
    public static UTF8String extract(UTF8String text, UTF8String pattern, int group) {
        byte[] bytes = text.getBytes();
        Matcher matcher = compiled(pattern).matcher(bytes);
        return group >= 0 && group <= matcher.groupCount() && matcher.find()
            ? group(bytes, matcher, group) : null;
    }

    /** The same, with an empty text instead of NULL. */
    public static UTF8String first(UTF8String text, UTF8String pattern, int group) {
        UTF8String found = extract(text, pattern, group);
        return found == null ? UTF8String.EMPTY_UTF8 : found;
    }

    /** A group of every match; an empty text where a match has no such group. */
    public static ArrayData extractAll(UTF8String text, UTF8String pattern, int group) {
        byte[] bytes = text.getBytes();
        Matcher matcher = compiled(pattern).matcher(bytes);
        List<Object> found = new ArrayList<>();
        while (matcher.find()) {
            UTF8String one = group(bytes, matcher, group);
            found.add(one == null ? UTF8String.EMPTY_UTF8 : one);
        }
        return new GenericArrayData(found.toArray());
    }

    /** Every match replaced; in the replacement $1 is a group, and a back-slash escapes. */
    public static UTF8String replaceAll(UTF8String text, UTF8String pattern, UTF8String replacement) {
        Matcher matcher = compiled(pattern).matcher(text.toString());
        return UTF8String.fromString(matcher.replaceAll(replacement.toString()));
    }

    /** The first match replaced. */
    public static UTF8String replaceFirst(UTF8String text, UTF8String pattern, UTF8String replacement) {
        Matcher matcher = compiled(pattern).matcher(text.toString());
        return UTF8String.fromString(matcher.replaceFirst(replacement.toString()));
    }

    /** What is between the matches; one without a letter in it separates nothing. */
    public static ArrayData split(UTF8String text, UTF8String pattern) {
        byte[] bytes = text.getBytes();
        Matcher matcher = compiled(pattern).matcher(bytes);
        List<Object> found = new ArrayList<>();
        int from = 0;
        while (matcher.find()) {
            if (matcher.end() > matcher.start()) {
                found.add(UTF8String.fromBytes(bytes, from, matcher.start() - from));
                from = matcher.end();
            }
        }
        found.add(UTF8String.fromBytes(bytes, from, bytes.length - from));
        return new GenericArrayData(found.toArray());
    }

    private static UTF8String group(byte[] bytes, Matcher matcher, int group) {
        int start = matcher.start(group);
        return start < 0 ? null : UTF8String.fromBytes(bytes, start, matcher.end(group) - start);
    }

    private static Pattern compiled(UTF8String pattern) {
        Pattern known = COMPILED.get(pattern);
        if (known == null) {
            try {
                known = Pattern.compile(pattern.toString());
            } catch (PatternSyntaxException bad) {
                throw new IllegalArgumentException("[CANNOT_COMPILE_REGEXP] Cannot compile the regular "
                    + "expression '" + pattern + "': " + bad.getDescription());
            }
            if (COMPILED.size() < MOST) { // a pattern may be a column
                COMPILED.put(pattern.clone(), known);
            }
        }
        return known;
    }
}
