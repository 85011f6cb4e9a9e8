package sluice.parquet;

import java.util.Arrays;

/** Numbers in the order in which they came. */
final class LongIds extends Ids {
    private long[] numbers = new long[256];

    /** The place of a number, which it gets if it has none. */
    int id(long number) {
        int mask = slots.length - 1;
        int slot = hash(number) & mask;
        int found;
        while ((found = slots[slot]) != 0) {
            if (numbers[found - 1] == number) {
                return found - 1;
            }
            slot = slot + 1 & mask;
        }
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, size * 2);
        }
        numbers[size] = number;
        return add(slot);
    }

    long get(int id) {
        return numbers[id];
    }

    @Override
    int hash(int id) {
        return hash(numbers[id]);
    }

    private static int hash(long number) {
        return (int) (number * 0x9E3779B97F4A7C15L >>> 32);
    }
}
