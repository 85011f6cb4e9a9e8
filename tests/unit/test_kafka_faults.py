"""What Java's client says, as conditions of ours."""

from __future__ import annotations

import pytest

from sluice.engine import kafka_faults

_AT = "org.apache.kafka.common"

SAID = [
    ("errors.RecordTooLargeException: The message is 9 bytes", "KAFKA_MESSAGE_TOO_LARGE"),
    ("errors.UnknownTopicOrPartitionException: This server does not", "KAFKA_TOPIC_MISSING"),
    ("errors.TimeoutException: Topic t not present in metadata after 9 ms.", "KAFKA_TOPIC_MISSING"),
    ("errors.TopicAuthorizationException: Not authorized to access topics: [t]", "KAFKA_REFUSED"),
    ("errors.TransactionalIdAuthorizationException: Transactional Id", "KAFKA_REFUSED"),
    ("errors.InvalidTxnTimeoutException: The transaction timeout is larger", "KAFKA_REFUSED"),
    ("errors.SaslAuthenticationException: Authentication failed", "KAFKA_LOGIN_FAILED"),
    ("errors.TimeoutException: Expiring 3 record(s) for t-0", "KAFKA_NOT_WRITTEN"),
    ("errors.ProducerFencedException: There is a newer producer", "KAFKA_NOT_WRITTEN"),
    ("KafkaException: Cannot execute transactional method", "KAFKA_NOT_WRITTEN"),
]


@pytest.mark.parametrize(("said", "condition"), SAID)
def test_named(said: str, condition: str) -> None:
    fault = RuntimeError(
        f"Job aborted: {_AT}.KafkaException: {_AT}.{said}\n\tat sluice.kafka.Transact"
    )
    found = kafka_faults.named(fault, "t", "b:9092")
    assert found is not None
    assert found.condition.name == condition
    assert "sluice.kafka.Transact" not in found.text()


def test_none_of_kafkas() -> None:
    assert kafka_faults.named(RuntimeError("[DIVIDE_BY_ZERO] Division by zero"), "t", "b") is None
