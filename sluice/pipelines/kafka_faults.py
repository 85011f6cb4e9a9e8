"""What it is called when Kafka does not take a message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import SluiceError

    Make = Callable[[str, str, str], SluiceError]

_SAID = re.compile(r"org\.apache\.kafka\.common\.(?:\w+\.)*(\w+): (?!org\.apache\.)(.+)")


def named(fault: BaseException, topic: str, brokers: str) -> SluiceError | None:
    """The condition a fault of writing is an instance of; None if it is none of Kafka's."""
    text = "\n".join(faults.said(fault))
    found = _SAID.findall(text)
    if not found:
        return None
    name, why = found[-1]
    if "not present in metadata" in why:
        name = "UnknownTopicOrPartitionException"
    for pattern, make in _TABLE:
        if re.fullmatch(pattern, name):
            return make(topic, brokers, why.strip())
    return not_written(topic, brokers, why.strip())


def missing(topic: str, brokers: str, _: str = "") -> SluiceError:
    """The topic is not there."""
    return errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=brokers)


def not_written(topic: str, brokers: str, why: str) -> SluiceError:
    """Nobody knows whether it arrived."""
    return errors.KAFKA_NOT_WRITTEN(topic=topic, brokers=brokers, reason=why)


def _too_large(topic: str, _: str, why: str) -> SluiceError:
    return errors.KAFKA_MESSAGE_TOO_LARGE(topic=topic, reason=why)


def _refused(_: str, brokers: str, why: str) -> SluiceError:
    return errors.KAFKA_REFUSED(brokers=brokers, reason=why)


def _no_login(_: str, brokers: str, why: str) -> SluiceError:
    return errors.KAFKA_LOGIN_FAILED(brokers=brokers, reason=why)


def _shut_out(topic: str, brokers: str, why: str) -> SluiceError:
    said = "it took longer than transaction.timeout.ms, or another producer has its name"
    return not_written(topic, brokers, f"The brokers have ended the transaction: {said} ({why})")


_TABLE: tuple[tuple[str, Make], ...] = (
    (r"RecordTooLargeException", _too_large),
    (r"UnknownTopicOrPartitionException", missing),
    (r"\w*AuthorizationException|InvalidTxnTimeoutException", _refused),
    (r"\w*AuthenticationException", _no_login),
    (r"ProducerFencedException|InvalidProducerEpochException|InvalidTxnStateException", _shut_out),
)
