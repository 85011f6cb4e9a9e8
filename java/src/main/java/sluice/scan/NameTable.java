package sluice.scan;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The numbers of names, found by their bytes. */
public final class NameTable implements Serializable {
    /** Whether names are the same whose ASCII letters differ in their case. */
    public enum Matching {
        MATCH_CASE, IGNORE_CASE,
        /** For a name that is not found as it is. */
        AUTO
    }

    private final byte[][] keys;
    private final int[] numbers;
    private final Matching matching;
    private final int[] table; // open addressing: a name's place + 1 at its hash
    private final int[] anyCase; // the same of names in lower case, the first one of several
    private final boolean[] ambiguous; // by place: whether others differ only in their case

    /** Each name with its place in the list as its number. */
    public NameTable(List<String> names) {
        this(names, null, Matching.MATCH_CASE);
    }

    /** Each name with a number of its own, or null. */
    public NameTable(List<String> names, int[] numbers, Matching matching) {
        int count = names.size();
        this.numbers = numbers;
        this.matching = matching;
        keys = new byte[count][];
        int size = Integer.highestOneBit(4 * count + 4);
        table = new int[size];
        anyCase = matching == Matching.MATCH_CASE ? null : new int[size];
        ambiguous = new boolean[count];
        for (int i = 0; i < count; i++) {
            byte[] key = keys[i] = names.get(i).getBytes(StandardCharsets.UTF_8);
            int slot = hash(key, 0, key.length) & size - 1;
            while (table[slot] != 0) slot = slot + 1 & size - 1;
            table[slot] = i + 1;
            if (anyCase == null) continue;
            slot = lowSlot(key, 0, key.length);
            if (anyCase[slot] == 0) anyCase[slot] = i + 1;
            else ambiguous[anyCase[slot] - 1] = true;
        }
    }

    /** The number of the name that was read last, or -1; most often it is the one that was guessed. */
    public int find(Cursor in, int guess) {
        int from = in.from;
        int length = in.to - from;
        if (numbers == null && matching != Matching.IGNORE_CASE && guess < keys.length && same(keys[guess], in.text, from, length)) {
            return guess;
        }
        return find(in.text, from, length);
    }

    /** The number of a name, or -1. */
    public int find(byte[] text, int from, int length) {
        int place = matching == Matching.IGNORE_CASE ? -1 : place(text, from, length);
        if (place < 0 && anyCase != null) {
            place = anyCase[lowSlot(text, from, length)] - 1;
            if (place >= 0 && ambiguous[place]) {
                throw new BadValue("Ambiguous field (`" + BadValue.shown(text, from, from + length)
                    + "`) when processing data: columns differ only in the case of their letters");
            }
        }
        return place < 0 || numbers == null ? place : numbers[place];
    }

    private int place(byte[] text, int from, int length) {
        int slot = hash(text, from, length) & table.length - 1;
        while (table[slot] != 0 && !same(keys[table[slot] - 1], text, from, length)) slot = slot + 1 & table.length - 1;
        return table[slot] - 1;
    }

    /** Where a name is among those in lower case, or where it would be. */
    private int lowSlot(byte[] text, int from, int length) {
        int hash = 1;
        for (int i = from; i < from + length; i++) hash = 31 * hash + low(text[i]);
        int slot = (hash ^ hash >>> 15) & anyCase.length - 1;
        while (anyCase[slot] != 0 && !sameLow(keys[anyCase[slot] - 1], text, from, length)) {
            slot = slot + 1 & anyCase.length - 1;
        }
        return slot;
    }

    private static boolean sameLow(byte[] key, byte[] text, int from, int length) {
        if (key.length != length) return false;
        for (int i = 0; i < length; i++) {
            if (low(key[i]) != low(text[from + i])) return false;
        }
        return true;
    }

    private static byte low(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? (byte) (letter | 0x20) : letter;
    }

    private static boolean same(byte[] key, byte[] text, int from, int length) {
        return key.length == length && ByteRanges.same(key, 0, text, from, length);
    }

    private static int hash(byte[] text, int from, int length) {
        int hash = 1;
        for (int i = from; i < from + length; i++) hash = 31 * hash + text[i];
        return hash ^ hash >>> 15;
    }
}
