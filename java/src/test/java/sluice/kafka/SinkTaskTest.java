package sluice.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Test;

/** The layout of messages: topic, key, value, headers, timestamp, partition. */
class SinkTaskTest {
    private static ProducerRecord<byte[], byte[]> record(Object... row) {
        return task("n").records(0, null).of(new GenericInternalRow(row));
    }

    private static SinkTask task(String name) {
        return new SinkTask("own", name, "g", "default", "", "", new LongAccumulator(), Map.of());
    }

    private static InternalRow header(String name, byte[] value) {
        return new GenericInternalRow(new Object[] {UTF8String.fromString(name), value});
    }

    @Test
    void everyPartOfAMessage() {
        byte[] key = {1}, value = {2}, first = {3};
        var headers = new GenericArrayData(new Object[] {header("h", first), header("h", null)});
        var record = record(UTF8String.fromString("other"), key, value, headers, 5L, 7);
        assertEquals("other", record.topic());
        assertArrayEquals(key, record.key());
        assertArrayEquals(value, record.value());
        assertEquals(5L, record.timestamp());
        assertEquals(7, record.partition());
        Header[] found = record.headers().toArray();
        assertEquals(2, found.length); // a name may come twice
        assertArrayEquals(first, found[0].value());
        assertNull(found[1].value());
    }

    @Test
    void whatARowLeavesOut() {
        var record = record(null, null, null, null, null, null);
        assertEquals("own", record.topic());
        assertNull(record.key());
        assertNull(record.value());
        assertNull(record.timestamp());
        assertNull(record.partition());
        assertEquals(0, record.headers().toArray().length);
    }

    @Test
    void namesOfProducersAndMarkers() {
        assertEquals("n-3", task("n").producer(3));
        assertEquals("g.3", task("n").marker(3));
        assertTrue(task("n").pools());
        assertFalse(task("").pools());
    }
}
