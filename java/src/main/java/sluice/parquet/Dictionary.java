package sluice.parquet;

import sluice.values.Output;

/** The distinct values of a column chunk, each with the index at which it came first, found by hash. */
abstract class Dictionary {
    int[] slots = new int[1024]; // an index + 1; 0 for none
    int size;

    /** The hash of the value at an index. */
    abstract int hash(int index);

    /** The size of the values in bytes. */
    abstract int bytes();

    /** The values in the PLAIN encoding. */
    abstract Output values();

    /** Give the next index to a value whose search ended at a slot. */
    final int add(int slot) {
        slots[slot] = ++size;
        if (size > slots.length / 2) {
            rehash();
        }
        return size - 1;
    }

    private void rehash() {
        int[] wider = new int[slots.length * 4];
        int mask = wider.length - 1;
        for (int index = 0; index < size; index++) {
            int slot = hash(index) & mask;
            while (wider[slot] != 0) {
                slot = slot + 1 & mask;
            }
            wider[slot] = index + 1;
        }
        slots = wider;
    }
}
