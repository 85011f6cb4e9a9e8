"""Statements that read and write rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.options.patterns import compiled
from sluice.sql.ir.nodes import ReadOnly, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from sluice.errors import Place
    from sluice.sql.ir.nodes import Name, Query


@dataclass(frozen=True, slots=True)
class Excepted:
    """EXCEPT after a matcher of columns: names, which a `strict` one must find, or a pattern."""

    names: tuple[str, ...] = ()
    pattern: str | None = None
    strict: bool = False

    def has(self, name: str) -> bool:
        """Whether it takes a column away."""
        if self.pattern is not None:
            return compiled(self.pattern).search(name) is not None
        return name in self.names


@dataclass(frozen=True, slots=True)
class ColumnMatcher:
    """`*` or COLUMNS(…) in a list of columns: those that fit a pattern, or `names`, or all."""

    pattern: str | None = None
    names: tuple[str, ...] = ()
    excepted: tuple[Excepted, ...] = ()


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    """INSERT INTO: exactly one of `rows`, `constants`, `query` and `data` is filled.

    Only a query that reads `input(…)` has `data` too. `rows` are tuples of expressions, `constants`
    those of many rows: texts, integers, None.

    `dialect` is that of the expressions; with `overwrite` the rows replace what was there.
    `settings` are those of its SETTINGS clause. A list of columns with a matcher in it is `listed`.
    """

    name: Name
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[exp.Expression, ...], ...] | None = None
    query: Query | None = None
    format: str | None = None
    data: str | None = None
    overwrite: bool = False
    dialect: str = "clickhouse"
    settings: Mapping[str, Any] = field(default_factory=dict)
    constants: tuple[tuple[str | int | None, ...], ...] | None = None
    listed: tuple[str | ColumnMatcher, ...] = ()


@dataclass(frozen=True, slots=True)
class StatementSet(Statement):
    """Several INSERTs that start together, as one job."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True, slots=True)
class Select(ReadOnly):
    """A query whose rows are answered; `settings` as those of an INSERT."""

    query: Query
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Partition:
    """Which rows `PARTITION …` means: by the values of the partition key, by an id, or all.

    Values are texts in ClickHouse SQL.
    """

    values: tuple[str, ...] = ()
    id: str | None = None
    all: bool = False


@dataclass(frozen=True, slots=True)
class Assignment:
    """`column = expression` of an UPDATE."""

    column: str
    expression: str
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mutation(Statement):
    """A change of rows that a stored table has.

    Those that meet the condition, and are in the partition if one is given, get the values of the
    assignments, or are deleted if there are none. With a `source` they are replaced by the rows
    that this table has in the partition. Conditions and expressions are texts in ClickHouse SQL.
    `more` are those of the same ALTER TABLE that come after it. CLEAR and MATERIALIZE COLUMN
    concern a `column` of all rows, or of those of a partition.
    """

    name: Name
    verb: str
    condition: str = ""
    assignments: tuple[Assignment, ...] = ()
    partition: Partition | None = None
    source: Name | None = None
    if_exists: bool = False
    command: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    more: tuple[Mutation, ...] = ()
    column: str = ""
    column_exists: bool = True


@dataclass(frozen=True, slots=True)
class CheckTable(ReadOnly):
    """CHECK TABLE, or CHECK ALL TABLES without a name; of a partition or a part if one is given."""

    name: Name | None
    partition: Partition | None = None
    part: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Redrive(Statement):
    """REDRIVE DEAD LETTERS FROM a table: `query` selects the letters, `using` is a format."""

    name: Name
    query: Query
    using: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    dry: bool = False
    format: str | None = None
