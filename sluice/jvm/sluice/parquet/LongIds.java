package sluice.parquet;

import java.util.Arrays;

/** Numbers, each with the place at which it came first. */
final class LongIds {
    private long[] numbers = new long[256];
    private int[] slots = new int[1024];
    int size;

    /** The place of a number, which it gets if it has none. */
    int id(long number) {
        int mask = slots.length - 1;
        int slot = (int) (number * 0x9E3779B97F4A7C15L >>> 40) & mask;
        int found;
        while ((found = slots[slot]) != 0) {
            if (numbers[found - 1] == number) {
                return found - 1;
            }
            slot = slot + 1 & mask;
        }
        return add(number, slot);
    }

    private int add(long number, int slot) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, size * 2);
        }
        numbers[size] = number;
        slots[slot] = ++size;
        if (size > slots.length / 2) {
            spread();
        }
        return size - 1;
    }

    private void spread() {
        int[] wider = new int[slots.length * 4];
        int mask = wider.length - 1;
        for (int n = 0; n < size; n++) {
            int slot = (int) (numbers[n] * 0x9E3779B97F4A7C15L >>> 40) & mask;
            while (wider[slot] != 0) {
                slot = slot + 1 & mask;
            }
            wider[slot] = n + 1;
        }
        slots = wider;
    }

    long get(int id) {
        return numbers[id];
    }
}
