package sluice.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules of SLUICE_FAILPOINTS. */
class FailpointsTest {
    @Test
    void rules() {
        assertTrue(Failpoints.rules(null).isEmpty());
        assertTrue(Failpoints.rules("").isEmpty());
        Map<String, Failpoints.Rule> found = Failpoints.rules("a.b=kill9@3,c=stop,d=kill9,e,f=other@2");
        assertEquals(Set.of("a.b", "c", "d"), found.keySet());
        assertEquals(Failpoints.Action.KILL9, found.get("a.b").action());
        assertEquals(Failpoints.Action.STOP, found.get("c").action());
        assertTrue(found.get("d").isDue());
        assertThrows(NumberFormatException.class, () -> Failpoints.rules("a=kill9@x"));
    }

    @Test
    void dueOnceAndOnlyThen() {
        Failpoints.Rule rule = Failpoints.rules("a=kill9@3").get("a");
        assertFalse(rule.isDue());
        assertFalse(rule.isDue());
        assertTrue(rule.isDue());
        assertFalse(rule.isDue());
        Failpoints.hit("nobody.asked");
    }
}
