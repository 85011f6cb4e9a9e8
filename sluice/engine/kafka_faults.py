"""Failed writes to Kafka as conditions; `sluice.kafka.KafkaFaults` in Java names most of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import faults

if TYPE_CHECKING:
    from sluice.errors import SluiceError

_NAMED = frozenset(
    {
        "KAFKA_LOGIN_FAILED",
        "KAFKA_MESSAGE_TOO_LARGE",
        "KAFKA_NOT_WRITTEN",
        "KAFKA_REFUSED",
        "KAFKA_TOPIC_MISSING",
    }
)


def named(fault: BaseException, topic: str, brokers: str) -> SluiceError | None:
    """The condition for a failed write; None if Kafka's clients have not caused the failure."""
    raised = faults.condition(fault)
    if raised is None or raised.name not in _NAMED:
        return None
    return raised.error(topic=topic, brokers=brokers)


def missing(topic: str, brokers: str) -> SluiceError:
    """The error for a topic that does not exist."""
    return errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=brokers)


def not_written(topic: str, brokers: str, why: str) -> SluiceError:
    """The error for messages that may or may not have been written."""
    return errors.KAFKA_NOT_WRITTEN(topic=topic, brokers=brokers, reason=why)
