package sluice.scan;

import java.io.Serializable;

/**
 * What a reader of JSON takes.
 *
 * @param strict numbers, escapes and UTF-8 are what the standard says, and nothing else
 * @param badEscapes what becomes of an escape in a string that stands for no character
 * @param deepest how many lists and objects a value that is skipped may be in
 */
public record JsonRules(boolean strict, BadEscapes badEscapes, int deepest) implements Serializable {
    /** A half of a surrogate pair; where they are refused or kept, an incomplete escape is too. */
    public enum BadEscapes { REPLACED, REFUSED, KEPT }

    private static final int DEEPEST = 1000;
    public static final JsonRules LENIENT = new JsonRules(false, BadEscapes.REPLACED, DEEPEST);
    public static final JsonRules STRICT = new JsonRules(true, BadEscapes.REPLACED, DEEPEST);
}
