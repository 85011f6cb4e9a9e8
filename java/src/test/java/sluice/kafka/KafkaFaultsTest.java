package sluice.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.errors.ConditionException;

class KafkaFaultsTest {
    static Stream<Arguments> faults() {
        return Stream.of(
            Arguments.of(new RecordTooLargeException("The message is 9 bytes"), "KAFKA_MESSAGE_TOO_LARGE"),
            Arguments.of(new UnknownTopicOrPartitionException("This server does not host it"), "KAFKA_TOPIC_MISSING"),
            Arguments.of(new TimeoutException("Topic t not present in metadata after 9 ms."), "KAFKA_TOPIC_MISSING"),
            Arguments.of(new TopicAuthorizationException("Not authorized to access topics: [t]"), "KAFKA_REFUSED"),
            Arguments.of(new TransactionalIdAuthorizationException("Transactional Id"), "KAFKA_REFUSED"),
            Arguments.of(new InvalidTxnTimeoutException("The transaction timeout is larger"), "KAFKA_REFUSED"),
            Arguments.of(new SaslAuthenticationException("Authentication failed"), "KAFKA_LOGIN_FAILED"),
            Arguments.of(new TimeoutException("Expiring 3 record(s) for t-0"), "KAFKA_NOT_WRITTEN"),
            Arguments.of(new ProducerFencedException("There is a newer producer"), "KAFKA_NOT_WRITTEN"),
            Arguments.of(new KafkaException("Cannot execute transactional method"), "KAFKA_NOT_WRITTEN"),
            Arguments.of(new KafkaException(), "KAFKA_NOT_WRITTEN"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theInnermostFaultOfAClient(KafkaException fault, String condition) {
        for (RuntimeException each : new RuntimeException[] {fault, new RuntimeException(new KafkaException(fault))}) {
            var named = (ConditionException) KafkaFaults.named(each);
            assertEquals(condition, named.condition());
            assertSame(each, named.getCause());
        }
    }

    @Test
    void aFencedProducer() {
        var named = (ConditionException) KafkaFaults.named(new ProducerFencedException("There is a newer producer"));
        assertTrue(named.told().contains("longer than transaction.timeout.ms"), named.told());
        assertTrue(named.told().endsWith("(There is a newer producer)"), named.told());
    }

    @Test
    void otherFaultsStay() {
        var division = new ArithmeticException("/ by zero");
        assertSame(division, KafkaFaults.named(division));
        var owned = new ConditionException("SINK_OWNED_BY_ANOTHER_SERVER", Map.of("owner", "x"));
        assertSame(owned, KafkaFaults.named(owned));
        assertSame(division, assertThrows(ArithmeticException.class, () -> KafkaFaults.naming(() -> {
            throw division;
        })));
    }
}
