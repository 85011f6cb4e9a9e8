package sluice.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is read of Debezium's messages to know their transactions. */
class TransactionMarkTest {
    private static TransactionMark mark(String json) {
        return TransactionMark.of(json == null ? null : json.getBytes(UTF_8));
    }

    private static TransactionEnd end(String json) {
        return TransactionEnd.of(json.getBytes(UTF_8));
    }

    @Test
    void theEnvelopesOwnTransactionCounts() {
        String rows = "\"before\":null,\"after\":{\"id\":7,\"transaction\":{\"id\":\"row\"},\"s\":\"a\\\"}],é\"},"
                + "\"source\":{\"lsn\":[1,{\"x\":\"}\"}]},\"op\":\"c\",\"ts_ms\":-1.5e3,";
        String own = "\"transaction\":{\"id\":\"gtid-1:7\",\"total_order\":2,\"data_collection_order\":1}";
        var wanted = new TransactionMark("gtid-1:7", 2);
        assertEquals(wanted, mark("{" + rows + own + "}"));
        assertEquals(wanted, mark(" {\n" + own + " , " + rows + "\"x\" : true }"));
        assertEquals(wanted, mark("{\"schema\":{\"fields\":[{\"field\":\"transaction\"}]},\"payload\":{" + rows + own + "}}"));
        assertEquals(new TransactionMark("5", 12), mark("{\"transaction\":{\"total_order\":\"12\",\"id\":\"5\"}}"));
        assertEquals(new TransactionMark("5", 0), mark("{\"transaction\":{\"id\":5}}"));
    }

    @Test
    void otherMessagesHaveNone() {
        for (String other : new String[] {
            null, "", "{", "null", "[1]", "{}", "{\"op\":\"r\",\"transaction\":null}", "{\"transaction\":\"x\"}",
            "{\"transaction\":{\"id\":null}}", "{\"transaction\":{\"id\":\"5\"", "{\"payload\":null}", "{\"a\":\"b\\", "{\"a\"}"
        }) {
            assertNull(mark(other), other);
        }
    }

    @Test
    void postgresHasThePositionInTheId() {
        assertEquals("571", TransactionMark.key("571:53195829"));
        for (String same : List.of("571", "00000025:00000d08:0025", "3e11fa47-71ca-11e1:23", "1:2:3", ":5", "5:", "a:1", "file=b,pos=4")) {
            assertEquals(same, TransactionMark.key(same));
        }
    }

    @Test
    void anEndTellsTheEventsOfATablesTopics() {
        String own = "{\"status\":\"END\",\"id\":\"571:9\",\"event_count\":6,\"data_collections\":["
                + "{\"data_collection\":\"s1.a\",\"event_count\":1},{\"data_collection\":\"s2.a\",\"event_count\":2},"
                + "{\"data_collection\":\"s2.b$\",\"event_count\":3}]}";
        for (String text : List.of(own, "{\"schema\":{},\"payload\":" + own + "}")) {
            TransactionEnd found = end(text);
            assertEquals("571:9", found.id());
            assertEquals(1, found.in(List.of("server.s1.a")));
            assertEquals(3, found.in(List.of("server.s1.a", "s2.a")));
            assertEquals(3, found.in(List.of("server.s2.b_")));
            assertEquals(3, found.in(List.of("a"))); // a router left the table's name alone
            assertEquals(0, found.in(List.of("server.s3.a")));
        }
        assertNull(end("{\"status\":\"BEGIN\",\"id\":\"571\",\"event_count\":null,\"data_collections\":null}"));
        assertNull(end("{"));
        assertNull(end("7"));
        assertNull(TransactionEnd.of(null));
    }
}
