"""What the catalog remembers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.types import parse_type
from sluice.types.named import flattened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from sluice.types import Type

Offsets = dict[str, dict[int, int]]

KAFKA = "kafka"
"""A Kafka table of the ClickHouse dialect: it has one pipeline, which its views share."""

TOPIC = "topic"
"""A Kafka table of the Flink dialect, which jobs read and write."""

QUERY = "query"
"""A view of the Flink dialect: a named query."""

DICTIONARY = "dictionary"
"""A dictionary of the ClickHouse dialect: the rows of a stored table, found by a key."""

STORED = "stored"
VIEW = "view"


@dataclass(frozen=True, slots=True)
class ColumnParts:
    """What a statement defines of a column and the catalog keeps; expressions are canonical text.

    `alias` is the expression of one that is computed when read (ALIAS, or Flink's `x AS …`), whose
    type may be `Inferred`. `default` is the expression of one that is filled in when written, and
    `default_kind` the word before it: DEFAULT, MATERIALIZED or EPHEMERAL. `metadata` is the key of
    Flink's METADATA column (its own name if there was no FROM), `virtual` one that is never
    written.
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

    def parts(self) -> dict[str, Any]:
        """The parts by their names, to make a column of another kind."""
        return {part.name: getattr(self, part.name) for part in fields(ColumnParts)}

    def flattened(self) -> list[Self]:
        """The columns that it is kept as: several if it is Nested."""
        parts = flattened(self.name, self.type).items()
        return [replace(self, name=name, type=type_) for name, type_ in parts]


@dataclass(frozen=True, slots=True)
class Column(ColumnParts):
    """A column of a table.

    `stored` is its name in the files, if it has been renamed. `late` is one that came when there
    were rows already: those have NULL there, which is read as its DEFAULT or the type's default.
    """

    stored: str = ""
    late: bool = False

    @property
    def name_in_files(self) -> str:
        """What it is called in a stored table's files."""
        return self.stored or self.name


INDEX, CONSTRAINT, PROJECTION = ELEMENTS = ("INDEX", "CONSTRAINT", "PROJECTION")
"""The kinds of elements, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Element:
    """An INDEX, PROJECTION or CONSTRAINT of a table; `text` is what follows its name."""

    kind: str
    name: str
    text: str

    @property
    def rank(self) -> int:
        """Where it is shown among those of other kinds."""
        return ELEMENTS.index(self.kind)

    @property
    def title(self) -> str:
        """Its kind and name."""
        return f"{self.kind} {self.name}"

    @property
    def check(self) -> str:
        """The condition that every row has to fulfil; empty if it is something else."""
        word, _, condition = self.text.partition(" ")
        return condition.strip() if self.kind == CONSTRAINT and word.upper() == "CHECK" else ""


@dataclass(frozen=True, slots=True)
class Table:
    """A Kafka table, a stored table or a materialized view.

    `settings` are kept as they were written, secrets too: the catalog's file is for its owner only.
    `engine_args` are texts of SQL; those of a Kafka table are the name of a named collection and
    what replaces its values, if it has one. `halted` is STOPPED or PAUSED if it is not to be read.
    One that is `temporary` belongs to a session. `pending` are columns that a commit of its rows is
    about to add (`schema.drift`): nobody sees them before the files have them. Of its `elements`
    only constraints with CHECK have an effect.
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
    pending: tuple[Column, ...] = ()
    elements: tuple[Element, ...] = ()

    @property
    def full_name(self) -> str:
        """Database and name."""
        return f"{self.database}.{self.name}" if self.database else self.name

    @property
    def key(self) -> tuple[str, str]:
        """What the catalog finds it by."""
        return (self.database, self.name)

    @property
    def stored_columns(self) -> list[Column]:
        """The columns that have a place in the files."""
        return [column for column in self.columns if column.alias is None]

    @property
    def whole(self) -> Table:
        """The table with its pending columns."""
        return replace(self, columns=(*self.columns, *self.pending)) if self.pending else self

    @property
    def passes(self) -> bool:
        """Whether it keeps no rows and only passes them on to its views: a Null table."""
        return self.kind == STORED and self.engine.lower() == "null"

    @property
    def keeps_rows(self) -> bool:
        """Whether it stores the rows that are written to it."""
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
        """Whether a view has a table of its own, created and dropped with it."""
        return self.target is not None and self.target[1] == self.inner_key[1]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a named collection; `overridable` is None if it is not set."""

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
class SqlFunction:
    """A function that CREATE FUNCTION has made: an expression of its parameters.

    `text` is the lambda as ClickHouse's formatter writes it, `body` the expression in it.
    """

    name: str
    parameters: tuple[str, ...]
    body: str
    text: str


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
    """A job: a running INSERT of the Flink dialect, and the settings it was started with.

    `state` is RUNNING, STOPPED or FINISHED: what it is to do, whether or not it can now.
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


@dataclass(slots=True)
class Mutation:
    """A statement that changes rows of a table; `finished` is set at its end.

    `fail_name` and `fail_reason` say why one has failed, which has changed nothing then.
    """

    database: str
    table: str
    table_uuid: str
    id: str
    command: str
    created: datetime
    query_id: str = ""
    finished: datetime | None = None
    fail_name: str = ""
    fail_reason: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a pipeline that an operator may need to know later.

    `ranges` are offsets, from and until, by topic and partition.
    """

    time: datetime
    database: str
    table: str
    kind: str
    message: str
    ranges: Mapping[str, Mapping[int, tuple[int, int]]] = field(default_factory=dict)


HEAD = ("uuid", "database", "name", "kind", "attached", "created")
"""The parts of a table that have columns of their own in the catalog."""

_TUPLES = frozenset({"order_by", "primary_key", "engine_args", "source", "target", "watermark"})


_COLUMNS = frozenset({"columns", "pending"})


def offsets_of(stored: Mapping[str, Mapping[str, int]]) -> Offsets:
    """Offsets from JSON, whose keys are text."""
    return {topic: {int(p): o for p, o in parts.items()} for topic, parts in stored.items()}


def ranges_of(stored: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[int, tuple[int, int]]]:
    """Ranges of offsets from JSON."""
    return {
        topic: {int(p): (start, end) for p, (start, end) in parts.items()}
        for topic, parts in stored.items()
    }


def zoned(time: datetime) -> datetime:
    """A time of the catalog: SQLite gives it without the zone, which is UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def definition(table: Table) -> dict[str, Any]:
    """The parts of a table that are kept as JSON; those that have their default are left out."""
    kept = {f.name: getattr(table, f.name) for f in fields(table) if f.name not in HEAD}
    body = {name: value for name, value in kept.items() if value or name == "columns"}
    body |= {name: list(map(_column, getattr(table, name))) for name in _COLUMNS if name in body}
    if table.elements:
        body["elements"] = [[each.kind, each.name, each.text] for each in table.elements]
    return body


def from_definition(head: Mapping[str, Any], body: Mapping[str, Any]) -> Table:
    """The table that `definition` was made from."""
    parts: dict[str, Any] = {n: tuple(v) if n in _TUPLES else v for n, v in body.items()}
    for name in _COLUMNS & body.keys():
        columns = ({**column, "type": parse_type(column["type"])} for column in body[name])
        parts[name] = tuple(Column(**column) for column in columns)
    if "elements" in body:
        parts["elements"] = tuple(Element(*each) for each in body["elements"])
    return Table(**head, **parts)


def _column(column: Column) -> dict[str, Any]:
    kept = {f.name: getattr(column, f.name) for f in fields(column)}
    return {name: v for name, v in kept.items() if v or name == "name"} | {"type": str(column.type)}
