package sluice.parquet;

import java.util.Arrays;
import sluice.values.Output;

/** A dictionary of numbers of {@code width} bytes. */
final class NumberDictionary extends Dictionary {
    private final int width;
    private long[] numbers = new long[256];

    NumberDictionary(int width) {
        this.width = width;
    }

    /** The index of a number, which is added if it is new. */
    int index(long number) {
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

    @Override
    int bytes() {
        return size * width;
    }

    @Override
    Output values() {
        Output values = new Output(size * width);
        for (int n = 0; n < size; n++) {
            values.putLow(numbers[n], width);
        }
        return values;
    }

    @Override
    int hash(int index) {
        return hash(numbers[index]);
    }

    private static int hash(long number) {
        return (int) (number * 0x9E3779B97F4A7C15L >>> 32);
    }
}
