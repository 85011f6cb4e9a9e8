"""Whether reading is blocked by an open transaction; shown while it is, an event if it lasts."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Event
from sluice.engine.runtime.status import now
from sluice.engine.sources import kafka_reader
from sluice.kafka import java

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Catalog, Offsets
    from sluice.errors import SluiceError
    from sluice.kafka.cluster import Cluster
    from sluice.planner.spec import KafkaSource

log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds without progress before the brokers are queried; most transactions are shorter."""

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


class OpenTransactions:
    """Finds the open transaction at which a source that reads committed messages has stopped.

    The brokers are asked only while there are messages to read and the reader does not get ahead,
    and who has opened the transaction only once.
    """

    def __init__(self, source: KafkaSource, cluster: Cluster, catalog: Catalog) -> None:
        self._source = source
        self._committed_only = kafka_reader.committed_only(source)
        self._cluster = cluster
        self._catalog = catalog
        self._position: Offsets = {}
        self._since = 0.0
        self._known: Blocked | None = None
        self._noted: Blocked | None = None

    def check(self, position: Offsets, ends: Offsets) -> None:
        """Raise if what is left to read comes after the begin of an open transaction.

        Raises:
            SluiceError: KAFKA_TRANSACTION_OPEN, or the error of the broker.
        """
        found = self._blocking(position, ends) if self._committed_only else None
        if found is None:
            return
        if found is not self._noted and time.time() - found.since >= HANGING:
            self._noted = found
            self._note(found)
        raise found.error

    def _note(self, blocked: Blocked) -> None:
        """Record a transaction that has been open for long."""
        table, error = self._source.table, blocked.error
        log.warning("%s: %s", table.full_name, error.text())
        at = {blocked.topic: {blocked.partition: (blocked.offset, blocked.offset)}}
        event = Event(now(), table.database, table.name, error.condition.name, error.text(), at)
        self._catalog.events.add(event)

    def _blocking(self, position: Offsets, ends: Offsets) -> Blocked | None:
        """The first partition whose reader waits for a transaction to end; None if none does."""
        lagging = {
            topic: {p: at for p, at in parts.items() if at < ends.get(topic, {}).get(p, at)}
            for topic, parts in position.items()
        }
        if lagging != self._position:
            self._position, self._since, self._known = lagging, time.monotonic(), None
        if not any(lagging.values()) or time.monotonic() < self._since + PATIENCE:
            return None
        stable = self._cluster.latest([t for t, parts in lagging.items() if parts], committed=True)
        for topic, parts in sorted(lagging.items()):
            for partition, at in sorted(parts.items()):
                last = stable.get(topic, {}).get(partition, at + 1)
                if last <= at and last < ends[topic][partition]:
                    known, place = self._known, (topic, partition, last)
                    if known is None or (known.topic, known.partition, known.offset) != place:
                        known = self._known = self._described(*place)
                    return known
        return None

    def _described(self, topic: str, partition: int, offset: int) -> Blocked:
        told = self._told(topic, partition, offset)
        begun_ms = told.get("since") or told.get("seen")
        since = begun_ms / 1000 if begun_ms else time.time()
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
        """What the brokers know of it; nothing without a JVM or without permission."""
        jvm = java.jvm()
        properties = jvm.java.util.HashMap()
        given = self._source.connection.spark() | {f"kafka.{n}": v for n, v in _ASKING.items()}
        for name, value in given.items():
            properties.put(name.removeprefix("kafka."), value)
        return dict(jvm.sluice.kafka.OpenTransaction.at(properties, topic, partition, offset))
