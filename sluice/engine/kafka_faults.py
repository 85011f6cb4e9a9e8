"""Faults of writing to Kafka as conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import SluiceError

_RAISED = re.compile(r"org\.apache\.kafka\.common\.(?:\w+\.)*(\w+): (?!org\.apache\.)(.+)")


def named(fault: BaseException, topic: str, brokers: str) -> SluiceError | None:
    """The condition for a failed write; None if the failure is not one of Kafka's."""
    text = "\n".join(faults.messages(fault))
    found = _RAISED.findall(text)
    if not found:
        return None
    name, why = found[-1]
    if "not present in metadata" in why:
        name = "UnknownTopicOrPartitionException"
    for pattern, make in _TABLE.items():
        if re.fullmatch(pattern, name):
            return make(topic, brokers, why.strip())
    return not_written(topic, brokers, why.strip())


def missing(topic: str, brokers: str) -> SluiceError:
    """The topic is not there."""
    return errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=brokers)


def not_written(topic: str, brokers: str, why: str) -> SluiceError:
    """Nobody knows whether it arrived."""
    return errors.KAFKA_NOT_WRITTEN(topic=topic, brokers=brokers, reason=why)


_FENCED = (
    "The brokers have ended the transaction: it took longer than transaction.timeout.ms, or "
    "another producer has its name ({why})"
)
_TABLE: dict[str, Callable[[str, str, str], SluiceError]] = {
    r"RecordTooLargeException": lambda topic, brokers, why: errors.KAFKA_MESSAGE_TOO_LARGE(
        topic=topic, reason=why
    ),
    r"UnknownTopicOrPartitionException": lambda topic, brokers, why: missing(topic, brokers),
    r"\w*AuthorizationException|InvalidTxnTimeoutException": lambda topic, brokers, why: (
        errors.KAFKA_REFUSED(brokers=brokers, reason=why)
    ),
    r"\w*AuthenticationException": lambda topic, brokers, why: errors.KAFKA_LOGIN_FAILED(
        brokers=brokers, reason=why
    ),
    r"ProducerFencedException|InvalidProducerEpochException|InvalidTxnStateException": (
        lambda topic, brokers, why: not_written(topic, brokers, _FENCED.format(why=why))
    ),
}
