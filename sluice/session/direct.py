"""SELECT from a Kafka table: what is there now, read once; the group is moved on if asked."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, VIEW
from sluice.engine import offsets
from sluice.engine.sinks.dead_letters import WRITER, DeadLetters
from sluice.engine.sources import kafka_reader, startup
from sluice.engine.sources.decode import Decoder
from sluice.engine.storage.ledger import Entry
from sluice.options.query_settings import DIRECT
from sluice.planner.named_collections import source_of
from sluice.planner.spec import DEAD_LETTERS
from sluice.planner.virtual_columns import HEADERS
from sluice.session.frames import guarded
from sluice.session.running import querying

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.access import Access
    from sluice.catalog import Offsets, Table
    from sluice.engine.engine import Engine
    from sluice.kafka.cluster import Cluster
    from sluice.planner.spec import KafkaSource
    from sluice.sql import ir

_ONE_AT_A_TIME = threading.RLock()
"""Held by a query that moves groups: two at a time would read the same messages."""

_PATIENCE = 10.0
"""How long it may take to learn from Spark how far a query with a LIMIT has read."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The offsets to commit after the query: the end, or what `seen` returns."""

    kafka: KafkaSource
    starts: Offsets
    ends: Offsets
    uses: frozenset[str]
    seen: Any = None


@dataclass
class Reading:
    """The Kafka tables of one query, each read from its group's position to its end.

    With `kafka_commit_on_select` the group is moved to where the query has read: to the end, and
    with a LIMIT past the last message that was needed for it. A group in which views read is left
    alone: its position is theirs.
    """

    engine: Engine
    query: ir.Query | None
    settings: Mapping[str, Any]
    access: Access
    _read: list[_Read] = field(default_factory=list)
    _held: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def rows(self, spark: SparkSession, table: Table, uses: frozenset[str]) -> DataFrame:
        """The rows of a Kafka table up to its end, for a query that uses these columns.

        Raises:
            SluiceError: QUERY_NOT_ALLOWED, READONLY for a group that would be moved,
                GROUP_NAME_EMPTY, and what the broker reports.
        """
        if not self.settings.get(DIRECT, True):
            raise errors.QUERY_NOT_ALLOWED(table=table.full_name)
        kafka = source_of(self.engine.environment, table)
        if not kafka.group:
            raise errors.GROUP_NAME_EMPTY(table=table.full_name)
        moves = kafka.commit_on_select and not self._is_read(kafka)
        if moves:
            self._prepare_move(table)
        starts, ends = self._range(kafka)
        few, limited = self._limits()
        messages = kafka_reader.bounded(
            spark,
            kafka,
            offsets.to_json(starts),
            offsets.to_json(ends),
            headers=bool(HEADERS & uses),
            split=not few and not (moves and limited),
        )
        rows = Decoder(kafka, messages, uses)
        if kafka.tolerance and not few:
            with querying(self.engine):
                guarded(lambda: rows.skipped(messages, kafka.tolerance))
        if moves:
            seen = None
            if limited:
                messages, seen = _watched(messages, ends)
            self._read.append(_Read(kafka, starts, ends, uses, seen))
        return rows(messages)

    def commit(self) -> None:
        """Move the groups, now that the query has what it read.

        Raises:
            SluiceError: GROUP_IN_USE, or what the broker says; nothing is moved then.
        """
        for read in self._read:
            at = read.ends if read.seen is None else read.seen(read.starts)
            if read.kafka.error_mode == DEAD_LETTERS:
                self._keep_letters(read, at)
            cluster = _cluster(read.kafka)
            try:
                cluster.commit(read.kafka.group, at)
            finally:
                cluster.close()

    def _keep_letters(self, read: _Read, at: Offsets) -> None:
        """Keep the bad messages: once the group is past them, nothing reads them again."""
        ranges = {
            topic: {p: (start, at[topic][p]) for p, start in parts.items()}
            for topic, parts in read.starts.items()
        }
        kafka, spark = read.kafka, self.engine.spark().newSession()
        messages = kafka_reader.bounded(
            spark, kafka, offsets.to_json(read.starts), offsets.to_json(at)
        )
        entry = Entry(kafka.table.uuid, 0, 0, WRITER, ranges)
        bad = Decoder(kafka, messages, read.uses).bad(messages)
        guarded(lambda: DeadLetters(self.engine.store).keep(bad, kafka, entry))

    def _prepare_move(self, table: Table) -> None:
        if self.settings.get("readonly"):
            what = f"SELECT from {table.full_name}, which has kafka_commit_on_select = 1,"
            raise errors.READONLY(what=what)
        self._held.enter_context(_ONE_AT_A_TIME)

    def _limits(self) -> tuple[bool, bool]:
        """Whether the query ends as soon as it has its rows, and whether a part of it may."""
        from sqlglot import exp

        tree = self.query.tree if self.query is not None else exp.Select()
        at_once = tree.args.get("limit") and not (tree.args.get("order") or tree.args.get("group"))
        return bool(at_once), tree.find(exp.Limit) is not None

    def _is_read(self, kafka: KafkaSource) -> bool:
        """Whether views read in the table's group, through it or another table."""
        tables = self.engine.catalog.tables()
        fed = {table.source for table in tables if table.kind == VIEW and table.attached}
        readers = [t for t in tables if t.kind == KAFKA and t.attached and t.key in fed]
        return any(source_of(self.engine.environment, t).group == kafka.group for t in readers)

    def _range(self, kafka: KafkaSource) -> tuple[Offsets, Offsets]:
        cluster = _cluster(kafka)
        try:
            topics = startup.topics_of(kafka, cluster)
            kept = startup.handed_over(self.engine.catalog, kafka, topics)
            starts = startup.starts(kafka, topics, cluster, handed_over=kept)
            there = cluster.latest(topics, committed=kafka_reader.committed_only(kafka))
            return starts, offsets.furthest(there, starts)
        finally:
            cluster.close()


def _cluster(kafka: KafkaSource) -> Cluster:
    from sluice.kafka.cluster import Cluster

    return Cluster(kafka.connection.librdkafka())


def _watched(messages: DataFrame, ends: Offsets) -> tuple[DataFrame, Any]:
    """The messages in order, and a function for the offsets after the last one that was read."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    partitions = [(topic, number) for topic, parts in ends.items() for number in parts]

    def newest(topic: str, number: int) -> Column:
        here = (F.col("topic") == topic) & (F.col("partition") == number)
        return F.max(F.when(here, F.col("offset")))

    found = Observation()
    columns = [newest(*each).alias(f"p{at}") for at, each in enumerate(partitions)]
    watched = messages.coalesce(1).observe(found, *columns)

    def seen(starts: Offsets) -> Offsets:
        told: Mapping[str, int | None] = _told(found)
        at = {each: told.get(f"p{n}") for n, each in enumerate(partitions)}
        return {
            topic: {
                p: start if (o := at[topic, p]) is None else o + 1 for p, start in parts.items()
            }
            for topic, parts in starts.items()
        }

    return watched, seen


def _told(found: Any) -> Mapping[str, int | None]:
    """What was observed; nothing if Spark did not need to read."""
    from py4j.protocol import Py4JError

    until = time.monotonic() + _PATIENCE
    while not found._jo.future().isCompleted():
        if time.monotonic() > until:
            return {}
        time.sleep(0.01)
    try:
        told: Mapping[str, int | None] = found.get
    except Py4JError:  # a plan in which nothing is read observes nothing, not even NULL
        return {}
    return told
