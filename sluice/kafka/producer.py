"""Producing messages to a topic with acknowledgement, for tests and tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from confluent_kafka import Producer

from sluice.kafka.client import translated
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from confluent_kafka import KafkaError

    Delivered = Callable[[KafkaError | None, object], None]

_SETTINGS = {
    "enable.idempotence": True,
    "delivery.timeout.ms": 30_000,
    "reconnect.backoff.max.ms": 1000,
    "log_level": 0,
}

_next: WeakKeyDictionary[Cluster, Producer] = WeakKeyDictionary()
"""The producer of the next call: a new one asks for its id only after half a second."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message for a topic; the broker chooses what is not set.

    `timestamp` is in milliseconds; a header may come twice.
    """

    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    timestamp: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()


def produce(cluster: Cluster | Mapping[str, str], topic: str, messages: Iterable[Message]) -> int:
    """Send the messages, wait until all are acknowledged, and return their number.

    For a `Cluster` there are more calls to come: each makes the producer of the next one, so that
    it is ready then.

    Raises:
        SluiceError: BROKER_UNREACHABLE or KAFKA_REFUSED, when one was not acknowledged.
    """
    properties = dict(cluster.properties if isinstance(cluster, Cluster) else cluster)
    brokers = properties.get("bootstrap.servers", "")
    refused: list[KafkaError] = []

    def delivered(error: KafkaError | None, _message: object) -> None:
        if error is not None:
            refused.append(error)

    settings = {**properties, **_SETTINGS}
    producer = _next.pop(cluster, None) if isinstance(cluster, Cluster) else None
    if producer is None:
        producer = Producer(settings)
    count = 0
    for message in messages:
        _send(producer, topic, message, delivered)
        count += 1
    producer.flush()  # no longer than delivery.timeout.ms: then every message has its answer
    if isinstance(cluster, Cluster):
        _next[cluster] = Producer(settings)
    if refused:
        raise translated(refused[0], brokers)
    return count


def _send(producer: Producer, topic: str, message: Message, delivered: Delivered) -> None:
    given = {
        name: value
        for name in ("key", "partition", "timestamp")
        if (value := getattr(message, name)) is not None
    }
    while True:
        try:
            producer.produce(
                topic,
                message.value,
                headers=list(message.headers),
                on_delivery=delivered,
                **given,
            )
        except BufferError:
            producer.poll(0.1)
        else:
            producer.poll(0)
            return
