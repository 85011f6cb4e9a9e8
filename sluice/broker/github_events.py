"""Made-up GitHub events, as fast as a topic can take them, the same ones every time.

Every event has the 25 columns of the ClickHouse guide's `github_queue` table as one JSON object.
A few thousand variants are written out once; an event is a variant with its own time, issue number
and `comment_id`, and no two events of one seed share a `comment_id`.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.broker.github_variants import variants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VARIANTS = 4096
_CHUNK = 4096
_PER_SECOND = 5  # events of the same created_at
_START = datetime(2023, 1, 2, tzinfo=UTC)
FIRST_COMMENT = 1_000_000_000
_PATIENCE = 10.0

_PRODUCER = {
    "log_level": 0,
    "acks": "all",
    "linger.ms": 50,
    "batch.size": 1_000_000,
    "queue.buffering.max.messages": 300_000,
    "queue.buffering.max.kbytes": 300_000,
    "delivery.report.only.error": True,
}


def events(count: int, *, seed: int = 0, first: int = 0) -> Iterator[bytes]:
    """`count` events, beginning with event number `first` of the endless sequence of `seed`.

    The sequence is the same however it is cut, so runs that follow each other never repeat one.
    """
    templates = variants(seed, _VARIANTS)
    for begin in range(first - first % _CHUNK, first + count, _CHUNK):
        rng = random.Random(f"{seed}/{begin}")  # noqa: S311 - made-up data
        picks = rng.choices(templates, k=_CHUNK)
        for index in range(max(first, begin), min(first + count, begin + _CHUNK)):
            template, numbers = picks[index - begin]
            hour, second = _time(index // _PER_SECOND)
            number = numbers and index * 7919 % numbers + 1
            comment = FIRST_COMMENT + index
            yield template % (hour, hour, second, hour, second, comment, number)


def fill(
    address: str,
    topic: str,
    count: int,
    *,
    partitions: int = 3,
    seed: int = 0,
    first: int = 0,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Produce `count` events to a topic, created if it is missing, spread over its partitions.

    Args:
        address: The broker.
        topic: Where to.
        count: How many.
        partitions: Of the topic, if it has to be made.
        seed: Another seed gives other events.
        first: Number of the first event, to continue after an earlier run.
        progress: Called now and then with the number of events handed over so far.

    Raises:
        SluiceError: BROKER_UNREACHABLE, when the broker did not take them all.
    """
    from confluent_kafka import Producer

    width = _ensure_topic(address, topic, partitions)
    refused: list[object] = []
    producer = Producer(
        {"bootstrap.servers": address, "on_delivery": lambda e, _: refused.append(e), **_PRODUCER}
    )
    for done in range(0, count, _CHUNK):
        size = min(_CHUNK, count - done)
        batch = [{"value": event} for event in events(size, seed=seed, first=first + done)]
        for partition in range(width):
            _send(producer, topic, batch[partition::width], partition)
        if progress:
            progress(done + size)
    left = producer.flush(60)
    if left or refused:
        reason = str(refused[0]) if refused else f"{left} events were not taken within a minute"
        raise errors.BROKER_UNREACHABLE(brokers=address, reason=reason)


def _ensure_topic(address: str, topic: str, partitions: int) -> int:
    """Create the topic if it is missing; returns its number of partitions."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cimpl import NewTopic

    client = AdminClient({"bootstrap.servers": address, "log_level": 0})
    try:
        known = client.list_topics(timeout=_PATIENCE).topics
        if topic in known:
            return len(known[topic].partitions)
        client.create_topics([NewTopic(topic, partitions, 1)])[topic].result(_PATIENCE)
    except KafkaException as error:
        raise errors.BROKER_UNREACHABLE(brokers=address, reason=error.args[0].str()) from error
    return partitions


def _send(producer: Any, topic: str, batch: list[dict[str, Any]], partition: int) -> None:
    """Enqueue the batch, waiting while the producer's queue is full."""
    while batch:
        producer.produce_batch(topic, batch, partition=partition)
        batch = [{"value": message["value"]} for message in batch if "_error" in message]
        producer.poll(0.05 if batch else 0)


@lru_cache(maxsize=16)
def _time(seconds: int) -> tuple[bytes, bytes]:
    """The hour and the rest, as the two parts of a written time."""
    hours, rest = divmod(seconds, 3600)
    hour = (_START + timedelta(hours=hours)).strftime("%Y-%m-%d %H")
    return hour.encode(), b":%02d:%02d" % divmod(rest, 60)
