"""Reading that an open transaction of some producer blocks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.kafka import java

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import SluiceError
    from sluice.kafka.cluster import Cluster
    from sluice.kafka.properties import Connection

    Offsets = Mapping[str, Mapping[int, int]]

PATIENCE = 5.0
"""Seconds without progress after which the brokers are asked; most transactions are shorter."""

HANGING = 60.0
"""Seconds of an open transaction after which it is worth an event."""

_ASKING = {"default.api.timeout.ms": "5000", "request.timeout.ms": "4000"}


@dataclass(frozen=True, slots=True)
class Blocked:
    """Where reading stopped, and the error that names the transaction."""

    topic: str
    partition: int
    offset: int
    since: float
    error: SluiceError


class Transactions:
    """Finds the open transaction at which a reader of committed messages has stopped.

    The brokers are asked only while there are messages to read and the reader does not get ahead,
    and who has opened the transaction only once.
    """

    def __init__(self, connection: Connection, cluster: Cluster) -> None:
        self._connection = connection
        self._cluster = cluster
        self._position: Offsets = {}
        self._since = 0.0
        self._known: Blocked | None = None
        self._noted: Blocked | None = None

    def blocking(self, position: Offsets, ends: Offsets) -> Blocked | None:
        """The first partition whose reader waits for a transaction to end; None if none does.

        Raises:
            SluiceError: BROKER_UNREACHABLE or KAFKA_REFUSED.
        """
        behind = {
            topic: {p: at for p, at in parts.items() if at < ends.get(topic, {}).get(p, at)}
            for topic, parts in position.items()
        }
        if behind != self._position:
            self._position, self._since, self._known = behind, time.monotonic(), None
        if not any(behind.values()) or time.monotonic() < self._since + PATIENCE:
            return None
        stable = self._cluster.latest([t for t, parts in behind.items() if parts], committed=True)
        for topic, parts in sorted(behind.items()):
            for partition, at in sorted(parts.items()):
                last = stable.get(topic, {}).get(partition, at + 1)
                if last <= at and last < ends[topic][partition]:
                    return self._blocked(topic, partition, last)
        return None

    def worth_noting(self, blocked: Blocked) -> bool:
        """Whether somebody should know later that it was open for so long; true once for each."""
        if blocked is self._noted or time.time() - blocked.since < HANGING:
            return False
        self._noted = blocked
        return True

    def _blocked(self, topic: str, partition: int, offset: int) -> Blocked:
        known = self._known
        if known is None or (known.topic, known.partition, known.offset) != (
            topic,
            partition,
            offset,
        ):
            known = self._known = self._described(topic, partition, offset)
        return known

    def _described(self, topic: str, partition: int, offset: int) -> Blocked:
        told = self._told(topic, partition, offset)
        moment = told.get("since") or told.get("seen")
        since = moment / 1000 if moment else time.time()
        name = f"transaction {told['id']}" if "id" in told else "a transaction of unknown id"
        if "producer" in told:
            name = f"{name} (producer id {told['producer']})"
        ends = "The brokers do not know when it will end."
        if "timeout" in told:
            ends = f"Its transaction.timeout.ms is {told['timeout']}."
        error = errors.KAFKA_TRANSACTION_OPEN(
            topic=topic,
            partition=partition,
            offset=offset,
            transaction=name,
            since=datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%d %H:%M:%S"),
            ends=ends,
        )
        return Blocked(topic, partition, offset, since, error)

    def _told(self, topic: str, partition: int, offset: int) -> Mapping[str, Any]:
        """What the brokers know of it; nothing if the JVM is not there, or they do not tell."""
        jvm = java.jvm()
        properties = jvm.java.util.HashMap()
        given = self._connection.spark() | {f"kafka.{n}": v for n, v in _ASKING.items()}
        for name, value in given.items():
            properties.put(name.removeprefix("kafka."), value)
        return dict(jvm.sluice.kafka.OpenTransaction.at(properties, topic, partition, offset))
