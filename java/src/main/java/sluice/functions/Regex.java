package sluice.functions;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import sluice.errors.ConditionException;
import sluice.values.Output;

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
        return in(text, pattern).find();
    }

    /** A group of the first match; NULL if nothing matches, or not this group, or there is none. */
    public static UTF8String extract(UTF8String text, UTF8String pattern, int group) {
        Subject subject = in(text, pattern);
        return group >= 0 && group <= subject.groups() && subject.find() ? subject.group(group) : null;
    }

    /** The same, with an empty text instead of NULL. */
    public static UTF8String first(UTF8String text, UTF8String pattern, int group) {
        UTF8String found = extract(text, pattern, group);
        return found == null ? UTF8String.EMPTY_UTF8 : found;
    }

    /** A group of every match up to an empty one; an empty text where a match has no such group. */
    public static ArrayData extractAll(UTF8String text, UTF8String pattern, int group) {
        Subject subject = in(text, pattern);
        List<Object> found = new ArrayList<>();
        while (subject.find() && subject.end(0) > subject.start(0)) {
            UTF8String one = subject.group(group);
            found.add(one == null ? UTF8String.EMPTY_UTF8 : one);
        }
        return new GenericArrayData(found.toArray());
    }

    /** Every match replaced, empty ones between any two bytes; {@code \1} is a group. */
    public static UTF8String replace(UTF8String text, UTF8String pattern, UTF8String replacement) {
        return replaced(in(text, pattern), replacement.getBytes(), false);
    }

    /** The first match replaced. */
    public static UTF8String replaceFirst(UTF8String text, UTF8String pattern, UTF8String replacement) {
        return replaced(in(text, pattern), replacement.getBytes(), true);
    }

    private static UTF8String replaced(Subject subject, byte[] replacement, boolean once) {
        Output out = new Output(subject.size() + 16);
        int from = 0;
        while (subject.find()) {
            int start = subject.start(0);
            out.put(subject.slice(from, start));
            put(subject, replacement, out);
            from = subject.end(0);
            if (once) break;
            if (from > start) continue;
            while (subject.matchesWithin(from + 1)) {
                out.put(subject.slice(from, ++from));
                put(subject, replacement, out);
            }
        }
        out.put(subject.slice(from, subject.size()));
        return UTF8String.fromBytes(out.message());
    }

    private static void put(Subject subject, byte[] replacement, Output out) {
        for (int at = 0; at < replacement.length; at++) {
            boolean escape = replacement[at] == '\\' && at + 1 < replacement.length;
            int group = escape ? replacement[at + 1] - '0' : -1;
            if (group >= 0 && group <= 9) {
                UTF8String one = group > subject.groups() ? null : subject.group(group);
                if (one != null) out.put(one);
                at++;
            } else {
                out.put((int) replacement[escape ? ++at : at]);
            }
        }
    }

    /** What is between the matches up to an empty one. */
    public static ArrayData split(UTF8String text, UTF8String pattern) {
        Subject subject = in(text, pattern);
        List<Object> found = new ArrayList<>();
        int from = 0;
        while (subject.find() && subject.end(0) > subject.start(0)) {
            found.add(subject.slice(from, subject.start(0)));
            from = subject.end(0);
        }
        found.add(subject.slice(from, subject.size()));
        return new GenericArrayData(found.toArray());
    }

    private static Subject in(UTF8String text, UTF8String pattern) {
        return new Subject(text, compiled(pattern));
    }

    private static Pattern compiled(UTF8String pattern) {
        Pattern known = COMPILED.get(pattern);
        if (known == null) {
            try {
                known = Pattern.compile(pattern.toString());
            } catch (PatternSyntaxException bad) {
                throw ConditionException.ofExpression("CANNOT_COMPILE_REGEXP",
                    Map.of("pattern", pattern.toString(), "reason", bad.getDescription()));
            }
            if (COMPILED.size() < MOST) { // a pattern may be a column
                COMPILED.put(pattern.clone(), known);
            }
        }
        return known;
    }
}
