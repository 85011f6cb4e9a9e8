package sluice.parquet;

/** Values, each with the place at which it came first, found by their hash. */
abstract class Ids {
    int[] slots = new int[1024];
    int size;

    /** The hash of a value that has a place. */
    abstract int hash(int id);

    /** Give the next place to a value whose search ended at a slot. */
    final int add(int slot) {
        slots[slot] = ++size;
        if (size > slots.length / 2) {
            spread();
        }
        return size - 1;
    }

    private void spread() {
        int[] wider = new int[slots.length * 4];
        int mask = wider.length - 1;
        for (int id = 0; id < size; id++) {
            int slot = hash(id) & mask;
            while (wider[slot] != 0) {
                slot = slot + 1 & mask;
            }
            wider[slot] = id + 1;
        }
        slots = wider;
    }
}
