"""A pipeline as data: one Kafka table, read once, and the views that share what it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sluice.options.patterns import fits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sluice.catalog import Table
    from sluice.errors import SluiceError
    from sluice.kafka.properties import Connection

SOURCE_VIEW = "sluice_source"
"""What the rows that come in are called in a view's Spark SQL."""


STREAM, DEAD_LETTERS = "stream", "dead_letter_queue"
"""Error modes, besides the one in which a bad message stops the reading."""


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """What a Kafka table reads and how.

    `format_settings` are ClickHouse's, as far as the table or the server's profile sets them.
    `offset_reset` is where a group without offsets begins, if that is said. A batch begins with
    `max_block` messages or `flush_ms` after the one before, if the table `waits` after its first
    message. Tables with the same `shared_by` share partitions.
    """

    table: Table = field(repr=False)
    connection: Connection
    topics: tuple[str, ...]
    group: str
    format: str
    skip_broken: int
    max_block: int
    flush_ms: int
    min_tasks: int
    error_mode: str = "default"
    schema: str = ""
    commit_on_select: bool = False
    rows_per_message: int = 1
    offset_reset: str = ""
    format_settings: Mapping[str, Any] = field(default_factory=dict)
    waits: bool = False
    look_ms: int = 200
    poll_records: int = 5000
    on_data_loss: str = "stop"
    shared_by: tuple[str, str] = ("", "")

    @property
    def patterns(self) -> tuple[str, ...]:
        """Those of its topics that are patterns for the beginning of names."""
        return tuple(topic for topic in self.topics if topic.startswith("^"))

    @property
    def named(self) -> tuple[str, ...]:
        """Those of its topics that are names."""
        return tuple(topic for topic in self.topics if not topic.startswith("^"))

    @property
    def skips_lost(self) -> bool:
        """Whether reading goes on behind messages that Kafka has deleted."""
        return self.on_data_loss == "skip"

    @property
    def skips_bad(self) -> bool:
        """Whether a bad message gives no row: it is skipped, or kept elsewhere."""
        return self.error_mode == DEAD_LETTERS or self.tolerance > 0

    @property
    def tolerance(self) -> int:
        """How many bad messages of a batch are skipped; one more stops it."""
        return self.skip_broken if self.error_mode not in (STREAM, DEAD_LETTERS) else 0


UNBOUNDED = "unbounded"


@dataclass(frozen=True, slots=True)
class Point:
    """Where reading begins or ends: a mode, and the offsets or the time it needs."""

    mode: str
    offsets: Mapping[int, int] = field(default_factory=dict)
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RowFormat:
    """How one half of a message is written: the format, its options, and its columns in order.

    `columns` pairs each field's name in the message with its column's name in the table.
    """

    name: str
    options: Mapping[str, Any]
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Metadata:
    """A column that is filled from a message's surroundings."""

    column: str
    key: str
    virtual: bool


@dataclass(frozen=True, slots=True)
class TopicSource:
    """What a Flink or DLI table reads and how.

    `changes` is true where messages are changes of rows: `upsert` ones by their key, others by what
    their format says. `commits` tells whether the group is told what was read. `discovery_ms` is
    how often partitions that came later are looked for; None if they are not read.
    """

    table: Table = field(repr=False)
    connection: Connection
    topics: tuple[str, ...]
    pattern: str
    group: str
    start: Point
    stop: Point
    value: RowFormat
    key: RowFormat | None
    metadata: tuple[Metadata, ...]
    upsert: bool
    changes: bool
    commits: bool
    offset_reset: str
    readers: int | None
    discovery_ms: int | None = None
    idle_ms: int | None = None

    max_block: ClassVar[int] = 1 << 20
    flush_ms: ClassVar[int] = 400
    waits: ClassVar[bool] = False
    look_ms: ClassVar[int] = 100
    poll_records: ClassVar[int] = 5000
    """What a batch is: whatever is there, up to a million messages."""

    @property
    def min_tasks(self) -> int:
        """The least number of tasks that read."""
        return self.readers or 1

    @property
    def bounded(self) -> bool:
        """Whether reading ends somewhere."""
        return self.stop.mode != UNBOUNDED

    @property
    def headers(self) -> bool:
        """Whether some column needs the messages' headers."""
        return any(each.key == "headers" for each in self.metadata)

    def reads(self, topic: str) -> bool:
        """Whether a topic is one of the table's; a pattern has to match the whole name."""
        if self.pattern:
            return fits(self.pattern, topic)
        return topic in self.topics


@dataclass(frozen=True, slots=True)
class TopicSink:
    """What a Flink or DLI table writes and how; `changes` tells whether it takes changed rows."""

    table: Table = field(repr=False)
    connection: Connection
    topic: str
    value: RowFormat
    key: RowFormat | None
    metadata: tuple[Metadata, ...]
    upsert: bool
    changes: bool
    partitioner: str
    guarantee: str
    transactional_id_prefix: str
    writers: int | None
    buffer_rows: int
    buffer_ms: int
    ignore_retraction: bool
    realtime: bool = False


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """A view over the batch: its query in Spark SQL and the tables that query reads besides.

    `block` is what the rows it runs over are called in that SQL. `target` is None while the table
    it writes to does not exist, and `sink` says how to write to one that is a Kafka table. `feeds`
    are the views that read the target: their block is what was written to it. `via` are the ids of
    the views before it, from the first one on; a view can be reached in several ways. `fault` says
    why the query cannot be run as things are, for instance because a table it joins is gone.
    """

    view: Table
    sql: str
    target: Table | None
    reads: tuple[tuple[str, Table], ...] = ()
    fault: SluiceError | None = field(default=None, compare=False)
    block: str = SOURCE_VIEW
    sink: KafkaSource | None = None
    via: tuple[str, ...] = ()
    feeds: tuple[ViewPlan, ...] = ()

    @property
    def id(self) -> str:
        """The view and the way to it."""
        return "/".join((*self.via, self.view.uuid))

    def nodes(self) -> Iterator[ViewPlan]:
        """This one and all behind it."""
        yield self
        for plan in self.feeds:
            yield from plan.nodes()


def block_name(via: Sequence[str]) -> str:
    """What the block is called that the views behind these ones run over."""
    return "_".join((SOURCE_VIEW, *(each.replace("-", "") for each in via)))


@dataclass(frozen=True, slots=True)
class PipelineSpec:
    """Everything the engine needs to run a Kafka table's pipeline."""

    source: KafkaSource
    views: tuple[ViewPlan, ...]

    @property
    def id(self) -> str:
        """The pipeline is its Kafka table's."""
        return self.source.table.uuid

    @property
    def halted(self) -> str:
        """STOPPED or PAUSED, if it is not to read."""
        return self.source.table.halted

    def plans(self) -> Iterator[ViewPlan]:
        """All views that a message can come to, those behind other views too."""
        for plan in self.views:
            yield from plan.nodes()
