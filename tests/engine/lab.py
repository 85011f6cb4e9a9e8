"""What an end-to-end test does: make topics and tables, produce, and see what arrives."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from topics import committed
from waiting import eventually

from sluice.engine.storage import delta_log
from sluice.kafka.producer import Message, produce
from sluice.planner.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.kafka.cluster import Cluster
    from sluice.session import Session

Row = tuple[Any, ...]

PATIENCE = 120.0
"""Far more than anything takes: tests run on slow machines, several at once."""


def configure(session: Session, config: Config | None) -> None:
    """Give the engine another configuration, as if it had been started with it."""
    engine = session._engine
    engine.environment = replace(engine.environment, config=config)
    engine.planner = Planner(engine.environment)


def commits(session: Session, table: Table) -> list[dict[str, Any]]:
    """What each commit of a stored table says of itself, and its version."""
    path = session._engine.store.path(table)
    versions = delta_log.versions(path)
    return [(delta_log.info(path, each) or {}) | {"version": each} for each in versions]


@dataclass
class Lab:
    """A session with a database of its own, and the broker."""

    session: Session
    cluster: Cluster
    brokers: str
    states: ClassVar = "SELECT table, state, last_error FROM system.pipelines"
    """What is shown when something does not arrive."""

    @property
    def database(self) -> str:
        """The database of this test alone."""
        return self.session.database

    def sql(self, text: str) -> list[Row]:
        """Run a statement."""
        return self.session.execute(text).fetchall()

    def produce(self, topic: str, *values: Any) -> None:
        """Send messages: objects become JSON, `Message` is sent as it is."""
        self.make_topic(topic)
        produce(self.cluster, topic, map(_message, values))

    def make_topic(self, topic: str, partitions: int = 1) -> None:
        """Make a topic unless it is there."""
        if not self.cluster.topics([topic]):
            self.cluster.create_topic(topic, partitions)

    def consume(self, topic: str) -> list[Message]:
        """All messages of a topic, partition by partition, read by a plain consumer."""
        return [_received(message) for message in committed(self.cluster, topic)]

    def queue(self, name: str, topic: str, columns: str = "key UInt64", **settings: Any) -> None:
        """Create a Kafka table; its group is called like its topic."""
        given = {
            "kafka_broker_list": self.brokers,
            "kafka_topic_list": topic,
            "kafka_group_name": topic,
            "kafka_format": "JSONEachRow",
            "kafka_flush_interval_ms": 100,
            **settings,
        }
        texts = ", ".join(f"{key} = {_literal(value)}" for key, value in given.items())
        self.sql(f"CREATE TABLE {name} ({columns}) ENGINE = Kafka SETTINGS {texts}")

    def pipe(self, topic: str, columns: str = "key UInt64", **settings: Any) -> None:
        """Create the topic, the Kafka table `q`, its target `v` and the view `m` between them."""
        self.make_topic(topic)
        self.queue("q", topic, columns, **settings)
        self.sql(f"CREATE TABLE v ({columns}) ENGINE = MergeTree ORDER BY tuple()")
        self.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")

    def arrives(self, query: str, wanted: list[Row], within: float = PATIENCE) -> None:
        """Wait until a query answers what is wanted."""
        try:
            eventually(lambda: self.sql(query), lambda rows: rows == wanted, within, self.commits)
        except AssertionError as late:
            late.add_note(f"wanted: {wanted!r:.1000}")
            for row in self.sql(self.states):
                late.add_note(str(row))
            raise

    def commits(self) -> int:
        """A number that changes with every commit to a table of the run's data folder."""
        tables = self.session._engine.folder.path / "tables"
        with contextlib.suppress(FileNotFoundError):  # one that is just dropped
            return sum(log.stat().st_mtime_ns for log in tables.glob("*/_delta_log"))
        return 0

    def counted(
        self, table: str, count: int, column: str = "key", within: float = PATIENCE
    ) -> None:
        """Wait until a table has so many rows, and see that they are all different."""
        query = f"SELECT count(), uniqExact({column}) FROM {table}"
        self.arrives(query, [(count, count)], within)

    def pipeline(self, table: str = "q") -> Row:
        """State and last error of a Kafka table's pipeline."""
        rows = self.sql(
            "SELECT state, last_error FROM system.pipelines "
            f"WHERE database = '{self.database}' AND table = '{table}'"
        )
        return rows[0] if rows else ("NONE", "")

    def group_at(self, topic: str, offset: int, within: float = PATIENCE) -> None:
        """Wait until the group that is called like its topic has come so far in partition 0."""
        wanted = {topic: {0: offset}}
        eventually(lambda: self.cluster.committed(topic, [topic]), lambda at: at == wanted, within)

    def becomes(self, state: str, table: str = "q", within: float = PATIENCE) -> str:
        """Wait for a pipeline's state; its last error is the answer."""
        good: Callable[[Row], bool] = lambda row: row[0] == state  # noqa: E731
        return str(eventually(lambda: self.pipeline(table), good, within)[1])


def keys(count: int, start: int = 0) -> list[dict[str, int]]:
    """Messages with the keys `start` … `start + count - 1`."""
    return [{"key": key} for key in range(start, start + count)]


def _message(value: Any) -> Message:
    if isinstance(value, Message):
        return value
    if value is None or isinstance(value, bytes):
        return Message(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Message(text.encode())


def _received(message: Any) -> Message:
    return Message(
        message.value(),
        message.key(),
        message.partition(),
        message.timestamp()[1],
        tuple(message.headers() or ()),
    )


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "\\'") + "'"
