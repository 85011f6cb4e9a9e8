"""What names mean inside one SELECT."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.plan.streaming import STILL, Step
from sluice.sql.core.spark import Sql, name
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import Place
    from sluice.sql.flink.ranks import Ranked
    from sluice.sql.flink.times import Time
    from sluice.sql.ir import Name
    from sluice.sql.relation import Relation, Resolver, Shape, TimeWindow
    from sluice.types import Type


@dataclass(frozen=True, slots=True)
class Output:
    """A column that a table or a query gives.

    `alias` is the text of a computed one, and `sql` stands for one that Spark has no column for.
    """

    name: str
    type: Type = UNKNOWN
    alias: str | None = None
    virtual: bool = False
    time: Time | None = None
    sql: Sql | None = None


@dataclass(slots=True)
class Source:
    """Something in FROM: `alias` is its name in Spark, `names` are those it may be written with."""

    alias: str
    names: frozenset[tuple[str, ...]]
    columns: Mapping[str, Output]
    shape: Shape = STILL
    session: tuple[str, ...] | None = None
    """The columns that sessions are told apart by, where a SESSION stands in FROM."""
    rank: str | None = None
    """The column with the number of a row, where ROW_NUMBER is in it."""

    def value(self, column: str) -> Value:
        """A column that is there; a source without an alias has bare columns."""
        found = self.columns[column]
        sql = found.sql or (name(self.alias, column) if self.alias else name(column))
        return Value(sql, found.type, time=found.time)


@dataclass(frozen=True, slots=True)
class Table:
    """A query that can stand in FROM; one that is `ranked` needs a limit around it."""

    sql: Sql
    columns: tuple[Output, ...]
    shape: Shape = STILL
    ranked: Ranked | None = None


Env = Mapping[str, Table]
"""The tables that WITH names."""


class Context:
    """One query with all its parts: how tables are found, and which were."""

    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve
        self.tables: list[Name] = []
        self.windows: list[TimeWindow] = []
        self.steps: list[Step] = []
        self.database: str | None = None
        """Where names are looked for inside a view."""
        self._numbers: dict[str, int] = {}
        self._views: list[Name] = []
        self._count = 0

    def relation(self, table: Name) -> Relation:
        """A table of the catalog."""
        if self.database is not None and table.database is None:
            table = replace(table, database=self.database)
        found = self._resolve(table)
        if found.query is None and table not in self.tables:
            self.tables.append(table)
        return found

    @contextmanager
    def inside(self, view: Name, relation: Relation) -> Iterator[None]:
        """While the query of a view is lowered: its names are those of its own database."""
        if view in self._views:
            reason = f"The view {view} reads itself"
            raise errors.BAD_ARGUMENTS(reason=reason, place=view.place)
        before = self.database
        self.database = relation.database
        self._views.append(view)
        try:
            yield
        finally:
            self._views.pop()
            self.database = before

    def fresh(self) -> str:
        """A name for something that has none."""
        self._count += 1
        return f"_{self._count}"

    def window(self, text: str) -> int:
        """A number for a window of time, the same for the same text."""
        return self._numbers.setdefault(text, len(self._numbers) + 1)

    def step(self, sql: Sql, **what: Any) -> Sql:
        """A part of the query as a view of its own; see `Step`."""
        text = str(sql)
        mark = f"{zlib.crc32(text.encode()):08x}"  # queries of one session may have steps each
        view = f"sluice_step_{len(self.steps) + 1}_{mark}"
        self.steps.append(Step(view, text, **what))
        return name(view)


@dataclass(slots=True)
class Scope:
    """The sources of one SELECT, and the scope of the query around it."""

    env: Env = field(default_factory=dict)
    parent: Scope | None = None
    sources: list[Source] = field(default_factory=list)
    merged: dict[str, Callable[[], Value]] = field(default_factory=dict)

    def find(
        self, parts: Sequence[str], place: Place | None
    ) -> tuple[Source, str, list[str]] | None:
        """The source and column that a name means, with the parts left over as fields of it."""
        for size in range(min(len(parts) - 1, 3), 0, -1):
            for source in self.sources:
                if tuple(parts[:size]) in source.names and parts[size] in source.columns:
                    return source, parts[size], list(parts[size + 1 :])
        holders = [source for source in self.sources if parts[0] in source.columns]
        if len(holders) > 1:
            which = " or ".join(f"{source.alias}.{parts[0]}" for source in holders)
            reason = f"Column '{parts[0]}' is ambiguous; write {which}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
        if holders:
            return holders[0], parts[0], list(parts[1:])
        return self.parent.find(parts, place) if self.parent is not None else None

    def unknown(self, column: str, place: Place | None) -> errors.SluiceError:
        """An error with the names that come closest."""
        known = [each for source in self.sources for each in source.columns]
        hint = errors.nearest(column, known)
        if not self.sources:
            hint = hint or "There is no FROM here that could have it"
        return errors.UNKNOWN_COLUMN(column=column, hint=hint, place=place)
