package sluice.kafka;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import sluice.errors.ConditionException;

/** Failures of the producers and of questions to the brokers, as conditions: Python adds topic and brokers. */
final class KafkaFaults {
    private static final String UNKNOWN_TOPIC = "not present in metadata"; // of a TimeoutException
    private static final String FENCED = "The brokers have ended the transaction: it took longer than "
        + "transaction.timeout.ms, or another producer has its name (%s)";

    private KafkaFaults() {}

    /** The answer to a question; its failure is raised as a condition. */
    static <T> T naming(Supplier<T> asked) {
        try {
            return asked.get();
        } catch (RuntimeException fault) {
            throw named(fault);
        }
    }

    /** The condition of a failure that a client of Kafka has raised; any other failure as it is. */
    static RuntimeException named(RuntimeException fault) {
        KafkaException innermost = null;
        for (Throwable each = fault; each != null; each = each.getCause()) {
            if (each instanceof ConditionException) return fault;
            if (each instanceof KafkaException) innermost = (KafkaException) each;
        }
        if (innermost == null) return fault;
        String why = innermost.getMessage() == null ? innermost.getClass().getSimpleName() : innermost.getMessage();
        String reason = isFenced(innermost) ? String.format(FENCED, why.strip()) : why.strip();
        return new ConditionException(condition(innermost, why), Map.of("reason", reason), fault);
    }

    private static String condition(KafkaException fault, String why) {
        if (fault instanceof RecordTooLargeException) return "KAFKA_MESSAGE_TOO_LARGE";
        if (fault instanceof UnknownTopicOrPartitionException || why.contains(UNKNOWN_TOPIC)) return "KAFKA_TOPIC_MISSING";
        if (fault instanceof AuthorizationException || fault instanceof InvalidTxnTimeoutException) return "KAFKA_REFUSED";
        if (fault instanceof AuthenticationException) return "KAFKA_LOGIN_FAILED";
        return "KAFKA_NOT_WRITTEN";
    }

    private static boolean isFenced(KafkaException fault) {
        return fault instanceof ProducerFencedException || fault instanceof InvalidProducerEpochException
            || fault instanceof InvalidTxnStateException;
    }
}
