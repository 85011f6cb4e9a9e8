package sluice.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When batches begin, and what is in them. */
class BatchAdmissionTest {
    private static final Map<String, Long> START = Map.of("t 0", 10L, "t 1", 0L);

    private static Map<String, Long> end(long first, long second) {
        return new TreeMap<>(Map.of("t 0", first, "t 1", second));
    }

    @Test
    void aBatchIsFullOrItsTimeHasCome() {
        var admission = BatchAdmission.open("a", 100, 1000, true, -1);
        assertSame(START, admission.plan(START, end(10, 0), 0)); // nothing
        assertSame(START, admission.plan(START, end(15, 0), 5)); // the first message is seen
        assertSame(START, admission.plan(START, end(20, 5), 1004));
        assertEquals(end(20, 5), admission.plan(START, end(20, 5), 1005));
        assertEquals(end(20, 90), admission.plan(START, end(20, 90), 1006)); // full
        assertSame(admission, BatchAdmission.of("a"));
        BatchAdmission.close("a");
    }

    @Test
    void aLookAtTheBeatIsNotTooEarly() {
        var admission = BatchAdmission.open("e", 100, 500, false, -1);
        assertEquals(end(20, 0), admission.plan(START, end(20, 0), 7)); // the first is late
        Map<String, Long> next = end(20, 0);
        assertSame(next, admission.plan(next, end(30, 0), 254));
        assertEquals(end(40, 0), admission.plan(next, end(40, 0), 503)); // 496 ms later
        BatchAdmission.close("e");
    }

    @Test
    void aFullBatchHasExactlyItsSize() {
        var admission = BatchAdmission.open("b", 10, 1000, false, -1);
        Map<String, Long> until = admission.plan(START, end(110, 50), 0);
        assertEquals(10, until.get("t 0") - 10 + until.get("t 1"));
        assertTrue(until.get("t 0") > 10 && until.get("t 1") > 0);
        BatchAdmission.close("b");
    }

    @Test
    void aTransactionThatIsLargerThanABatchMakesItLarger() {
        var admission = BatchAdmission.open("d", 10, 0, false, 2);
        var cut = new TransactionCut(60_000, false);
        admission.wholeTransactions(cut);
        assertSame(START, admission.plan(START, end(40, 20), 0)); // nothing was looked at yet
        assertFalse(admission.idle());
        long order = 0;
        for (long offset = 10; offset < 40; offset++) {
            cut.event("t 0", offset, new TransactionMark(offset < 12 ? "small" : "large", ++order), 0, 0);
        }
        for (long offset = 0; offset < 20; offset++) {
            cut.event("t 1", offset, new TransactionMark("large", ++order), 0, 0);
        }
        cut.read("t 0", 40, 0);
        cut.read("t 1", 20, 0);
        cut.end("small", 2, 0, 0, 0);
        Map<String, Long> small = admission.plan(START, end(40, 20), 1);
        assertEquals(end(12, 0), small);
        assertEquals(new TransactionCut.Last("small", 0), admission.lastTransaction());
        cut.end("large", 48, 1, 0, 0);
        cut.event("t 1", 20, new TransactionMark("next", 1), 0, 0);
        cut.read("t 1", 21, 0);
        assertEquals(end(40, 20), admission.plan(small, end(40, 21), 2));
        assertEquals("large", admission.lastTransaction().id());
        Map<String, Long> done = end(40, 20);
        cut.endsRead(true);
        assertSame(done, admission.plan(done, end(40, 21), 3)); // it waits for the END
        assertTrue(admission.idle());
        assertTrue(admission.releasedTransactions().isEmpty());
        BatchAdmission.close("d");
    }

    @Test
    void boundsAndCycles() {
        var admission = BatchAdmission.open("c", 100, 0, false, 1);
        admission.bound(Map.of("t 0", 12));
        assertEquals(end(12, 0), admission.plan(START, end(50, 50), 0));
        assertFalse(admission.drained());
        Map<String, Long> done = end(12, 0);
        assertSame(done, admission.plan(done, end(50, 50), 1));
        assertTrue(admission.drained());
        assertTrue(admission.idle());
        BatchAdmission.close("c");
    }
}
