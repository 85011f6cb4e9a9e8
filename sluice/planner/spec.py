"""What is read from Kafka and written to it, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.formats.codec import Codec
from sluice.options.patterns import fits
from sluice.parameters.kinds import FLINK
from sluice.sql.relation import BY_KEY, FULL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.kafka.properties import Connection

STREAM, DEAD_LETTERS = "stream", "dead_letter_queue"
"""Error modes, besides the one in which a bad message stops the reading."""


EARLIEST, LATEST, GROUP = "earliest-offset", "latest-offset", "group-offsets"
TIMESTAMP, OFFSETS, UNBOUNDED = "timestamp", "specific-offsets", "unbounded"
"""Modes of a position at which reading starts or ends."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where reading starts or ends: a mode, and the offsets or the time that it needs."""

    mode: str
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RowFormat:
    """A key format or value format: its name in a dialect, its options, and its columns in order.

    `columns` pairs each field's name in the message with its column's name in the table.
    """

    name: str
    options: Mapping[str, Any]
    columns: tuple[tuple[str, str], ...]
    dialect: str = FLINK

    @property
    def codec(self) -> Codec:
        """What decodes and encodes it."""
        return Codec.named(self.name, self.dialect, self.options)


@dataclass(frozen=True, slots=True)
class Metadata:
    """A column that holds a part of a message besides its key and value formats' fields."""

    column: str
    key: str
    virtual: bool


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """What a table of any dialect reads from Kafka, and how.

    `topics` are names and, beginning with ^, patterns for the beginning of names; `pattern` is one
    for whole names. A query without a position starts at `start` and ends at `stop`. In a group
    without committed offsets `offset_reset` decides: earliest, latest, or an error. With
    `resets_out_of_range` it also decides for committed offsets that the topic does not have.
    `commits` tells whether the offsets of what was read are committed to the group.

    A message's value holds the columns of `value`, its key those of `key`; `metadata` are the other
    columns. What becomes of a bad message is its `error_mode`, with `skip_broken` messages of a
    batch that may be bad. With `changes` messages are changes of rows: `upsert` ones by their key,
    others by their format.

    Batch admission: a batch begins with `max_block` messages or `flush_ms` after the one before, if
    the table `waits` after its first message. Topics and partitions that are created later are
    discovered every `discovery_ms`; None if they are not read, or by Spark itself. A partition
    without rows for `idle_ms` does not hold back the watermark. Tables with the same `shared_by`
    share partitions. `schema_drift` tells whether a change may have columns that the table has not.
    With `transactions`, the topic of their ENDs, no batch ends within a source transaction, unless
    that stays incomplete for `transactions_timeout_ms`.
    """

    table: Table = field(repr=False)
    connection: Connection
    topics: tuple[str, ...]
    value: RowFormat
    pattern: str = ""
    group: str = ""
    commits: bool = False
    start: Point = Point(GROUP)
    stop: Point = Point(UNBOUNDED)
    offset_reset: str = ""
    resets_out_of_range: bool = False
    key: RowFormat | None = None
    metadata: tuple[Metadata, ...] = ()
    error_mode: str = "default"
    skip_broken: int = 0
    upsert: bool = False
    changes: bool = False
    max_block: int = 1 << 20
    flush_ms: int = 400
    waits: bool = False
    look_ms: int = 100
    poll_records: int = 5000
    min_tasks: int = 1
    discovery_ms: int | None = None
    idle_ms: int | None = None
    on_data_loss: str = "stop"
    schema_drift: str = "ignore"
    shared_by: tuple[str, str] = ("", "")
    commit_on_select: bool = False
    rows_per_message: int = 1
    transactions: str = ""
    transactions_timeout_ms: int = 60_000

    @property
    def named(self) -> tuple[str, ...]:
        """Those of its topics that are names."""
        return tuple(topic for topic in self.topics if not topic.startswith("^"))

    @property
    def patterns(self) -> tuple[str, ...]:
        """Patterns for the whole names of its other topics."""
        if self.pattern:
            return (self.pattern,)
        return tuple(f"(?:{topic}).*" for topic in self.topics if topic.startswith("^"))

    @property
    def bounded(self) -> bool:
        """Whether reading ends somewhere."""
        return self.stop.mode != UNBOUNDED

    @property
    def headers(self) -> bool:
        """Whether a column of the table holds the messages' headers."""
        return any(each.key == "headers" for each in self.metadata)

    @property
    def changelog(self) -> str:
        """What its rows are: appends (empty), a full changelog, or an upsert changelog.

        In an upsert changelog `+I` and `+U` put the row of a PRIMARY KEY, and `-D` has at least
        the columns of the key; there is a `-U` where an update changes the key.
        """
        if not self.changes:
            return ""
        keyed = self.upsert or bool(self.table.primary_key)
        return BY_KEY if keyed else FULL

    @property
    def skips_lost(self) -> bool:
        """Whether reading continues after messages that Kafka has deleted."""
        return self.on_data_loss == "skip"

    @property
    def skips_bad(self) -> bool:
        """Whether a bad message gives no row: it is skipped, or kept elsewhere."""
        return self.error_mode == DEAD_LETTERS or self.tolerance > 0

    @property
    def tolerance(self) -> int:
        """How many bad messages of a batch are skipped; one more stops it."""
        return self.skip_broken if self.error_mode not in (STREAM, DEAD_LETTERS) else 0

    def reads(self, topic: str) -> bool:
        """Whether a topic is one of the table's."""
        return topic in self.named or any(fits(pattern, topic) for pattern in self.patterns)

    def reads_from(self, sink: KafkaSinkSpec) -> bool:
        """Whether it reads the topic that a sink writes to, if that has one for all rows."""
        topic = sink.topic
        return bool(topic) and self.reads(topic) and self.connection.same_cluster(sink.connection)


NONE, AT_LEAST_ONCE, EXACTLY_ONCE = "none", "at-least-once", "exactly-once"
"""Delivery guarantees of a Kafka sink."""


@dataclass(frozen=True, slots=True)
class KafkaSinkSpec:
    """What a table of any dialect writes to Kafka, and how.

    A message's value holds the columns of `value`, and its key those of `key`. `metadata` are the
    columns that give a message its topic, key, timestamp or headers; rows need not have those that
    are `virtual`. `topics` are names and, beginning with ^, patterns: unless it is one name, each
    row has to name its topic.

    `changes` tells whether the table takes rows that change later: as `upsert` messages, whose
    value is NULL for a retraction (which is not written at all with `ignore_retraction`), or in a
    format of changes. With `last_only` a batch has one message per key, its last change.
    """

    table: Table = field(repr=False)
    connection: Connection
    topics: tuple[str, ...]
    value: RowFormat
    key: RowFormat | None = None
    metadata: tuple[Metadata, ...] = ()
    rows_per_message: int = 1
    guarantee: str = AT_LEAST_ONCE
    partitioner: str = "default"
    transactional_id_prefix: str = ""
    writers: int | None = None
    upsert: bool = False
    changes: bool = False
    last_only: bool = False
    buffer_rows: int = 0
    buffer_ms: int = 0
    ignore_retraction: bool = False
    realtime: bool = False

    @property
    def topic(self) -> str:
        """The topic that rows are written to; empty if each row has to name it."""
        first, *others = self.topics
        return "" if others or first.startswith("^") else first


@dataclass(frozen=True, slots=True)
class Rules:
    """What becomes of a row that its table does not take as it is.

    `not_null` is ERROR or DROP for a NULL in a column that has none; `length` is IGNORE, TRIM_PAD
    or ERROR for texts and bytes that are longer, or shorter, than their type says.
    """

    not_null: str = "ERROR"
    length: str = "IGNORE"


@dataclass(frozen=True, slots=True)
class SinkSpec:
    """Where the rows of a query are written: a stored table, or with `kafka` a table over topics.

    `columns` are the table's names for the columns of the query, in its order; without them columns
    are matched by name. `rules` are Flink's rules for casts to a table's schema, without them rows
    are cast as ClickHouse does. `overwrite` replaces what the table has; `distinct` promises that
    no batch has two rows with the same primary key.
    """

    table: Table
    kafka: KafkaSinkSpec | None = None
    columns: tuple[str, ...] | None = None
    rules: Rules | None = None
    overwrite: bool = False
    distinct: bool = False
