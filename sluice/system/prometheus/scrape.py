"""What a scrape sees: what the server knows at that moment, without asking anybody."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sluice.engine import offsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Offsets
    from sluice.engine.engine import Engine
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.runtime.status import Status
    from sluice.errors import SluiceError

TABLE, JOB = "table", "job"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A Kafka table with its views, or a query of a job; `query` is None if it cannot be planned.

    `name` is the label of its metrics: the full name of the table, or the id of the job.
    """

    name: str
    kind: str
    database: str
    table: str
    state: str
    error: SluiceError | None
    query: RunningQuery | None = None

    @classmethod
    def of(cls, query: RunningQuery) -> Pipeline:
        """A query that was started."""
        spec, status = query.spec, query.status
        table = query.streams[0].source.table if query.streams else spec.outputs[0].table
        name, kind = (query.id, JOB) if spec.of_job else (table.full_name, TABLE)
        word = status.state.partition("(")[0]
        return cls(name, kind, table.database, table.name, word, status.error, query)

    @property
    def status(self) -> Status | None:
        """The progress of one that was started."""
        return None if self.query is None else self.query.status


def pipelines(engine: Engine) -> list[Pipeline]:
    """All pipelines, those that cannot be planned too."""
    supervisor = engine.supervisor
    found = list(map(Pipeline.of, supervisor.running()))
    for table, error in list(supervisor.broken_tables.values()):
        found.append(Pipeline(table.full_name, TABLE, table.database, table.name, "FAILED", error))
    for id_, error in list(supervisor.broken_jobs.items()):
        found.append(Pipeline(id_, JOB, "", "", "FAILED", error))
    return found


class Partition(NamedTuple):
    """A partition of a topic; `cluster` are the addresses of its brokers, as tables name them."""

    cluster: str
    topic: str
    number: int


@dataclass(slots=True)
class GroupPartition:
    """The position of a consumer group in a partition, and the age of what it reads next."""

    offset: int
    lag: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Slow:
    """What is measured in the background, because it asks brokers or reads files.

    `earliest` are the oldest offsets by cluster, `state` the bytes of state by query.
    """

    earliest: Mapping[str, Offsets] = field(default_factory=dict)
    state: Mapping[str, int] = field(default_factory=dict)


@dataclass(eq=False)
class Scrape:
    """One scrape; what several metrics are made of is found once."""

    engine: Engine
    slow: Slow
    jvm: Mapping[str, Any]
    connections: int | None = None

    @cached_property
    def pipelines(self) -> list[Pipeline]:
        """Every pipeline once: labels must differ."""
        return list({each.name: each for each in pipelines(self.engine)}.values())

    @cached_property
    def ends(self) -> dict[Partition, int]:
        """The end offsets of the partitions that are read."""
        found: dict[Partition, int] = {}
        for query in self._queries():
            for stream in query.streams:
                cluster = stream.source.connection.brokers
                for topic, number, end in offsets.each(stream.owned(query.status.ends)):
                    at = Partition(cluster, topic, number)
                    found[at] = max(end, found.get(at, 0))
        return found

    @cached_property
    def earliest(self) -> dict[Partition, int]:
        """The oldest offsets of the topics that are read, as last seen."""
        found: dict[Partition, int] = {}
        for query in self._queries():
            for stream in query.streams:
                cluster = stream.source.connection.brokers
                newer = self.slow.earliest.get(cluster, {})
                for topic, parts in stream.earliest.items():
                    for number, oldest in newer.get(topic, parts).items():
                        found[Partition(cluster, topic, number)] = oldest
        return found

    @cached_property
    def groups(self) -> dict[tuple[str, Partition], GroupPartition]:
        """The positions of consumer groups; of several readers of a partition the last one's."""
        found: dict[tuple[str, Partition], GroupPartition] = {}
        for query in self._queries():
            position = query.status.copied_position()
            for stream in query.streams:
                group, cluster = stream.source.group, stream.source.connection.brokers
                if not group:
                    continue
                times = stream.oldest_times()
                for topic, number, offset in offsets.each(stream.owned(position)):
                    at = Partition(cluster, topic, number)
                    end = self.ends.get(at)
                    lag = None if end is None else max(0, end - offset)
                    made = GroupPartition(offset, lag, _age(lag, times.get((topic, number))))
                    known = found.get((group, at))
                    if known is None or offset < known.offset:
                        found[group, at] = made
        return found

    def _queries(self) -> Iterator[RunningQuery]:
        return (each.query for each in self.pipelines if each.query is not None)


def _age(lag: int | None, oldest_ms: int | None) -> float | None:
    """Seconds since the oldest unread message was written; 0 if there is none."""
    if lag == 0:
        return 0.0
    if lag is None or oldest_ms is None:
        return None
    return max(0.0, time.time() - oldest_ms / 1000)
