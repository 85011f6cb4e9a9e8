"""What the catalog remembers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sluice.types import Type

Offsets = dict[str, dict[int, int]]

KAFKA = "kafka"
"""A table of ClickHouse's: it has a pipeline of its own, which its views share."""

TOPIC = "topic"
"""A table of Flink's over topics, which jobs read and write."""

QUERY = "query"
"""A view of Flink's: a query under a name."""

STORED = "stored"
VIEW = "view"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; the parts are those of a statement's `ColumnDef`, and two of a stored table's.

    `stored` is its name in the files, if it has been renamed. `late` is one that came when there
    were rows already: those have NULL there, which is read as the type's default.
    """

    name: str
    type: Type
    alias: str | None = None
    comment: str = ""
    default: str | None = None
    default_kind: str = ""
    metadata: str | None = None
    virtual: bool = False
    codec: str = ""
    ttl: str = ""
    stored: str = ""
    late: bool = False

    @property
    def name_in_files(self) -> str:
        """What it is called in a stored table's files."""
        return self.stored or self.name


@dataclass(frozen=True, slots=True)
class Table:
    """A Kafka table, a stored table or a materialized view.

    `settings` are kept as they were written, secrets too: the catalog's file is for its owner only.
    `engine_args` are texts of SQL; those of a Kafka table are the name of a named collection and
    what replaces its values, if it has one. `halted` is STOPPED or PAUSED if it is not to be read.
    One that is `temporary` belongs to a session.
    """

    uuid: str
    database: str
    name: str
    kind: str
    columns: tuple[Column, ...]
    created: datetime
    engine: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    order_by: tuple[str, ...] = ()
    partition_by: str | None = None
    comment: str = ""
    query: str | None = None
    source: tuple[str, str] | None = None
    target: tuple[str, str] | None = None
    attached: bool = True
    dialect: str = "clickhouse"
    engine_args: tuple[Any, ...] = ()
    primary_key: tuple[str, ...] = ()
    sample_by: str | None = None
    ttl: str = ""
    watermark: tuple[str, str] | None = None
    halted: str = ""
    temporary: bool = False

    @property
    def full_name(self) -> str:
        """Database and name."""
        return f"{self.database}.{self.name}" if self.database else self.name

    @property
    def key(self) -> tuple[str, str]:
        """What the catalog finds it by."""
        return (self.database, self.name)

    @property
    def passes(self) -> bool:
        """Whether it keeps no rows and only passes them on to its views: a Null table."""
        return self.kind == STORED and self.engine.lower() == "null"

    @property
    def keeps_rows(self) -> bool:
        """Whether rows that are written to it are there from then on."""
        return self.kind == STORED and not self.passes

    @property
    def collection(self) -> str | None:
        """The named collection that a Kafka table takes settings from."""
        return self.engine_args[0] if self.kind == KAFKA and self.engine_args else None

    @property
    def inner_key(self) -> tuple[str, str]:
        """Where the table of a view without TO is kept."""
        return (self.database, f".inner_id.{self.uuid}")

    @property
    def owns_target(self) -> bool:
        """Whether a view has a table of its own, which comes and goes with it."""
        return self.target is not None and self.target[1] == self.inner_key[1]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a named collection; `overridable` is None if nothing was said."""

    value: Any
    overridable: bool | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """A named collection: settings that tables share; some of its values may be secrets.

    `source` is SQL for one that a statement made, CONFIG for one of the configuration.
    """

    name: str
    values: Mapping[str, Value] = field(repr=False)
    source: str = "SQL"

    def overridable(self, key: str) -> bool:
        """Whether a table may give the key another value."""
        return self.values[key].overridable is not False


@dataclass(frozen=True, slots=True)
class Generation:
    """Where a Kafka table began to read, and which topics those were.

    A reset makes a new generation, with a checkpoint of its own: an old checkpoint is never edited.
    A `shared` one has the partitions in `starts` and no others; one that is not has all there are.
    `ends` are there if reading ends somewhere.
    """

    number: int
    starts: Offsets
    topic_ids: Mapping[str, str]
    shared: bool = False
    ends: Offsets | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A statement of Flink's that goes on running, and the settings it was started with.

    `state` is RUNNING, STOPPED or FINISHED: what it is to do, whether or not it can at the moment.
    `plan` are its queries as they were when it was last started.
    """

    id: str
    name: str
    database: str
    statement: str
    state: str
    created: datetime
    settings: Mapping[str, Any] = field(default_factory=dict)
    ended: datetime | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a pipeline and that somebody may have to know later.

    `ranges` are offsets, from and until, by topic and partition.
    """

    time: datetime
    database: str
    table: str
    kind: str
    message: str
    ranges: Mapping[str, Mapping[int, tuple[int, int]]] = field(default_factory=dict)


_HEAD = frozenset({"uuid", "database", "name", "kind", "created", "attached"})
_TUPLES = frozenset({"order_by", "primary_key", "engine_args", "source", "target", "watermark"})


def definition(table: Table) -> dict[str, Any]:
    """The parts of a table that are kept as JSON; those that have their default are left out."""
    kept = {f.name: getattr(table, f.name) for f in fields(table) if f.name not in _HEAD}
    body = {name: value for name, value in kept.items() if value}
    body["columns"] = [_column(column) for column in table.columns]
    return body


def from_definition(head: Mapping[str, Any], body: Mapping[str, Any]) -> Table:
    """The table that `definition` was made from."""
    parts: dict[str, Any] = {n: tuple(v) if n in _TUPLES else v for n, v in body.items()}
    parts["columns"] = tuple(
        Column(**{**column, "type": parse_type(column["type"])}) for column in body["columns"]
    )
    return Table(**head, **parts)


def _column(column: Column) -> dict[str, Any]:
    kept = {f.name: getattr(column, f.name) for f in fields(column)}
    return {name: v for name, v in kept.items() if v or name == "name"} | {"type": str(column.type)}
