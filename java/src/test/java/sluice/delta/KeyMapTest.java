package sluice.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The map of keys against Java's own, with many keys of few values and few of many. */
class KeyMapTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isTheMapThatJavaHas(boolean wide) {
        Random random = new Random(7);
        KeyMap map = new KeyMap(wide);
        Map<List<Long>, Long> model = new HashMap<>();
        for (int n = 0; n < 300_000; n++) {
            long first = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(20_000);
            long second = wide ? random.nextInt(3) : 0;
            if (random.nextInt(3) == 0) {
                map.remove(first, second);
                model.remove(List.of(first, second));
            } else {
                map.put(first, second, n);
                model.put(List.of(first, second), (long) n);
            }
            if (n % 7 == 0) {
                long other = random.nextInt(20_000);
                assertEquals(model.getOrDefault(List.of(other, second), KeyMap.NONE), map.find(other, second));
            }
        }
        assertEquals(model.size(), map.size());
        model.forEach((key, place) -> assertEquals(place, map.find(key.get(0), key.get(1))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsBitsOfThePlaceThatAKeyHad(boolean wide) {
        KeyMap map = new KeyMap(wide);
        long kept = 0xFFL << 40;
        for (long key = 0; key < 1000; key++) {
            map.put(key, 0, key % 256 << 40 | 1);
        }
        for (long key = 0; key < 2000; key++) {
            map.put(key, 0, key + 7, kept);
            assertEquals((key < 1000 ? key % 256 << 40 : 0) | key + 7, map.find(key, 0));
        }
        map.put(5, 0, 9);
        assertEquals(9, map.find(5, 0));
    }
}
