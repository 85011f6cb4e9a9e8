"""How old the oldest message is that was not read yet."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Consumer, KafkaException, TopicPartition

from sluice.kafka import java
from sluice.kafka.client import Client, Deadline

if TYPE_CHECKING:
    from collections.abc import Mapping

    Offsets = Mapping[str, Mapping[int, int]]

_SMALL = 1 << 10
_OURS = {
    "group.id": "sluice-ages",  # never committed to
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_uncommitted",
    "fetch.message.max.bytes": _SMALL,  # the broker sends one batch at least
    "fetch.max.bytes": _SMALL,
    "message.max.bytes": 1000,  # fetch.max.bytes is at least as large
    "queued.min.messages": 1,
    "fetch.wait.max.ms": 10,
}


class Ages:
    """Reads one message of each partition that something is left in, and keeps its time.

    A message's time does not change, so a partition is asked again only when its reader has moved.
    """

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._properties = {**properties, **_OURS}
        self._known: dict[tuple[str, int], tuple[int, int | None]] = {}
        self._client: Client[Consumer] | None = None
        self._lock = threading.Lock()

    def oldest(self, position: Offsets, ends: Offsets, *, deadline: float = 1.0) -> int | None:
        """The time of the oldest unread message in milliseconds; None if that is not known.

        Raises:
            SluiceError: BROKER_UNREACHABLE or KAFKA_REFUSED.
        """
        lagging = {
            (topic, partition): position.get(topic, {}).get(partition, 0)
            for topic, parts in ends.items()
            for partition, end in parts.items()
            if position.get(topic, {}).get(partition, 0) < end
        }
        with self._lock:
            self._known = {at: seen for at, seen in self._known.items() if at in lagging}
            asked = {
                at: offset
                for at, offset in lagging.items()
                if self._known.get(at, (-1, None))[0] != offset
            }
            if asked and java.SETTINGS not in self._properties:
                self._ask(asked, Deadline(deadline))
            times = [time for _, time in self._known.values() if time is not None]
        return min(times, default=None)

    def times(self) -> dict[tuple[str, int], int]:
        """The times of the oldest unread messages as last seen, where they are known."""
        known = self._known
        return {at: time for at, (_, time) in list(known.items()) if time is not None}

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._client is not None:
                self._client.proper.close()
                self._client = None

    def _ask(self, asked: Mapping[tuple[str, int], int], until: Deadline) -> None:
        self._client = self._client or Client(self._properties, Consumer)
        parts = [TopicPartition(topic, at, offset) for (topic, at), offset in asked.items()]
        self._client.call(until, lambda consumer, _: consumer.assign(parts))
        missing = set(asked)
        while missing and not until.passed():
            message = self._client.proper.poll(min(0.1, until.left()))
            if message is None:
                continue
            if message.error() is not None:
                break
            at = (message.topic(), message.partition())
            if at in missing:
                missing.discard(at)
                kind, time = message.timestamp()
                self._known[at] = (asked[at], None if kind == TIMESTAMP_NOT_AVAILABLE else time)
        for at in missing:  # only markers of transactions are left, or the broker is slow
            self._known[at] = (asked[at], None)
        try:
            self._client.proper.unassign()
        except KafkaException:
            self._client = None
