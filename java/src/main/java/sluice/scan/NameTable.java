package sluice.scan;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** The numbers of names, found by their bytes. */
public final class NameTable implements Serializable {
    private final byte[][] keys;
    private final int[] numbers;
    private final int[] table; // open addressing: a name's place + 1 at its hash
    private final boolean anyCase;

    /** Each name with its place in the list as its number. */
    public NameTable(List<String> names) {
        this(names, null, false);
    }

    /** Each name with a number of its own, or null; {@code anyCase}: whatever the case of its letters. */
    public NameTable(List<String> names, int[] numbers, boolean anyCase) {
        int count = names.size();
        this.numbers = numbers;
        this.anyCase = anyCase;
        keys = new byte[count][];
        int size = Integer.highestOneBit(4 * count + 4);
        table = new int[size];
        for (int i = 0; i < count; i++) {
            String name = names.get(i);
            keys[i] = (anyCase ? name.toLowerCase(Locale.ROOT) : name).getBytes(StandardCharsets.UTF_8);
            int slot = hash(keys[i], 0, keys[i].length) & size - 1;
            while (table[slot] != 0) slot = slot + 1 & size - 1;
            table[slot] = i + 1;
        }
    }

    /** The number of the name that was read last, or -1; most often it is the one that was guessed. */
    public int find(Cursor in, int guess) {
        int from = in.from;
        int length = in.to - from;
        if (numbers == null && guess < keys.length && same(keys[guess], in.text, from, length)) {
            return guess;
        }
        return find(in.text, from, length);
    }

    /** The number of a name, or -1. */
    public int find(byte[] text, int from, int length) {
        if (!anyCase) return findExactly(text, from, length);
        String name = new String(text, from, length, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        byte[] lower = name.getBytes(StandardCharsets.UTF_8);
        return findExactly(lower, 0, lower.length);
    }

    private int findExactly(byte[] text, int from, int length) {
        int slot = hash(text, from, length) & table.length - 1;
        while (table[slot] != 0) {
            int found = table[slot] - 1;
            if (same(keys[found], text, from, length)) {
                return numbers == null ? found : numbers[found];
            }
            slot = slot + 1 & table.length - 1;
        }
        return -1;
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
