"""What a front end must know of a table to lower a query over it, and what it makes of a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice.sql.ir import Name

if TYPE_CHECKING:
    from sluice.sql.ir import Query
    from sluice.types import Type


KIND, AT, UNCHANGED = "__row_kind", "__at", "__unchanged"
PLACE = "STRUCT<partition: INT, offset: BIGINT, row: INT>"
"""Columns of a changelog's rows that no query names: see `sluice.engine.row_kinds`."""

WEIGHT = "__w"
"""The column that says how many rows are added, or removed if it is negative."""

OF = "__of"
"""The column with the number of what a row is about, see `AccumulateValues`."""

EVOLVED = "__evolved"
"""The last column of a table with `schema.drift` = evolve: a struct of columns that it has not.

`SELECT *` takes it along to the table that these columns are added to; its fields are known when a
batch is read.
"""

FULL, BY_KEY = "full", "upsert"
"""Changelogs: each retraction has the whole old row, or a change replaces the row of its key."""


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column: `alias` is the expression text it stands for; `virtual` ones are not in `*`.

    `clock` is True for one that tells when a row is processed.
    """

    name: str
    type: Type
    alias: str | None = None
    virtual: bool = False
    clock: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as Spark will see it: the name of a temporary view and its columns.

    `stream` is True for one that never ends, and `watermark` names the column of its event times
    with the milliseconds that they may be late. A view of the Flink dialect is its `query`,
    whose names are those of `database`. `key` is the PRIMARY KEY. The rows of a `changelog`, which
    is FULL or BY_KEY, have the columns KIND and AT, and UNCHANGED if changes can be `partial`.
    """

    view: str
    columns: tuple[RelationColumn, ...]
    watermark: tuple[str, int] | None = None
    stream: bool = False
    query: Query | None = None
    database: str | None = None
    key: tuple[str, ...] = ()
    changelog: str = ""
    partial: bool = False


Resolver = Callable[[Name], Relation]
"""Finds a table by name in Sluice's catalog, or raises UNKNOWN_TABLE."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a query behaves as a stream.

    `updating` is True where a row may change later; `key` then names the columns of the result that
    tell its rows apart, None if they are not all selected, and `why` is the operator that makes it
    so, in Flink's words. `bounded_state` is False where the state grows for ever, unless the data
    itself is limited. `closes` is True where rows come when time is up: Spark does that in the mode
    "append" alone.

    The rows of a `changelog` have the hidden columns: FULL or BY_KEY, as in `Relation`. `also` are
    other keys of its rows. It is `unkeyed` where nothing is known of a key, and `partial` where
    its rows have the column UNCHANGED.
    """

    stream: bool = False
    stateful: bool = False
    updating: bool = False
    key: tuple[str, ...] | None = None
    bounded_state: bool = True
    why: str = ""
    closes: bool = False
    changelog: str = field(default="", repr=False)
    also: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    unkeyed: bool = field(default=False, repr=False)
    partial: bool = field(default=False, repr=False)

    @property
    def mode(self) -> str:
        """Spark's output mode."""
        return "update" if self.updating and not self.changelog else "append"

    @property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """All keys that are known, the best one first."""
        return (*(() if self.key is None else (self.key,)), *self.also)


STILL = Shape()
"""What ends: a stored table, VALUES, a query without FROM."""


@dataclass(frozen=True, slots=True)
class Normalize:
    """From an upsert changelog to a full one: the state is the last row of each key.

    The rows of the view `source` have the hidden columns of a changelog; a key's changes are
    applied in the order of their places. Values that a change does not carry are completed from
    the state. The result has the columns of `source` and, for each key whose row is another one
    after the batch, the old row and the new one.
    """

    source: str
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrange:
    """Any query that can be computed key by key: the state is the multiset of rows of each key.

    `sources` are views with a row kind and, for each, the columns of its key: as many for each, of
    the same types. The step's `sql` is the query as over tables that end: it reads the views by
    their names, and is run over the rows of the batch's keys before the batch and after it. The
    result is the difference. With `key`, which are columns of the result that identify its rows,
    the old and the new row of one key are an update. With `ordered` the rows that `sql` reads have
    the column `__seq`, which sorts them by arrival.
    """

    sources: tuple[tuple[str, tuple[str, ...]], ...]
    key: tuple[str, ...] | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class InnerJoin:
    """An inner join of two views by the changes of each: the state is the rows of both by key.

    `sources` are as in `Arrange`. The step's `sql` joins them; both have the column WEIGHT, and so
    has the result, whose weight is their product. Only the rows that the changes of the other side
    meet are read.
    """

    sources: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Accumulate:
    """Sums by key: the state is the sums of each key.

    The view `source` has at most one row for each key with what the batch adds to its sums; a
    NULL adds nothing. Each of `sums` is a column of it and how it is accumulated: "sum". One of
    them is `__n`, the number of rows of the key: a key without any does not exist. The result has
    the key and the sums, before and after the batch, of the keys whose sums have changed. Of sums
    that are not in `by_value` only a change from or to zero counts: the query asks for no more.
    """

    source: str
    key: tuple[str, ...]
    sums: tuple[tuple[str, str], ...]
    by_value: tuple[str, ...] | None = field(default=None, kw_only=True, repr=False)

    @property
    def told(self) -> tuple[str, ...]:
        """The sums whose values the query asks for."""
        return tuple(name for name, _ in self.sums) if self.by_value is None else self.by_value


@dataclass(frozen=True, slots=True)
class AccumulateValues(Accumulate):
    """Sums by key, and how often each value of some columns occurs: the least of them, for example.

    Each of `values` is a column of the result, a column of `source` with values, a column that says
    how often a value is added, and what is wanted: "min", "max" or "count", which counts the
    different ones. A row of `source` is about one column of values: `OF` is its place among those
    that `values` name. A value is in one row of its key; the rows of the first column, of which a
    key may have several, have what is added to the sums. Of the sums only those in `shown` are
    columns of the result: where nothing else has changed, nothing is passed on.
    """

    shown: tuple[str, ...]
    values: tuple[tuple[str, str, str, str], ...]

    @property
    def columns(self) -> list[str]:
        """The columns of values."""
        return list(dict.fromkeys(column for _, column, _, _ in self.values))


State = Normalize | Arrange | InnerJoin | Accumulate
"""What a step over a changelog keeps between batches."""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a query that Spark has to know as a view before the query itself.

    Of rows with the same values in `distinct` only the first one is left. `times` are columns that
    carry the watermark, with the milliseconds that they may be late; None takes it off a column.
    A step with `state` is run batch by batch; its rows have the hidden columns `__row_kind` and
    `__at` besides those of the result. Only `Arrange` and `InnerJoin` have a query in `sql` then.
    `node` is what it computes, as Flink's plans name it.
    """

    view: str
    sql: str
    distinct: tuple[str, ...] = ()
    times: tuple[tuple[str, int | None], ...] = ()
    state: State | None = None
    node: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A window of time that a query groups by; `kind` is TUMBLE, HOP, CUMULATE or SESSION."""

    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class LoweredExpression:
    """An expression over the columns of one row in Spark SQL, and the columns that it uses.

    `type` is None where only Spark can tell.
    """

    sql: str
    type: Type | None
    uses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query in Spark SQL, the names of its columns, and what it uses.

    `types` are those of the columns, None where only Spark can tell. `tables` are those it reads,
    `uses` the columns it reads of each of them, by the name of its temporary view. `windows` and
    `shape` describe its state. `steps` are views that Spark needs first, in order.
    """

    sql: str
    columns: tuple[str, ...]
    tables: tuple[Name, ...] = ()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    types: tuple[Type | None, ...] = ()
    windows: tuple[TimeWindow, ...] = ()
    shape: Shape = STILL
    steps: tuple[Step, ...] = ()
