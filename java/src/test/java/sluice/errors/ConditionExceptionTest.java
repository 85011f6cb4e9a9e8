package sluice.errors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The line that Python reads. */
class ConditionExceptionTest {
    @Test
    void oneLineOfJson() {
        var cause = new IllegalStateException();
        var made = new ConditionException("NAME", Map.of("b", 2L, "a", "q\"\n}"), cause);
        assertEquals("SLUICE_CONDITION{\"condition\":\"NAME\",\"a\":\"q\\\"\\n}\",\"b\":2}", made.getMessage());
        assertEquals("sluice.errors.ConditionException: " + made.getMessage(), made.toString());
        assertSame(cause, made.getCause());
    }
}
