"""What names mean inside one SELECT of the Flink dialect."""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from sluice import errors
from sluice.sql.core import scope as core
from sluice.sql.core.spark import Sql, name
from sluice.sql.flink.values import Value
from sluice.sql.relation import STILL, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.sql.flink.ranks import Ranked
    from sluice.sql.flink.times import Time
    from sluice.sql.ir import Name
    from sluice.sql.relation import Relation, Resolver, Shape, TimeWindow


@dataclass(frozen=True, slots=True)
class Output(core.Output):
    """A column, with its time attribute; `sql` stands for one that Spark has no column for."""

    time: Time | None = None
    sql: Sql | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """What tells the changes of a stream's rows: the kind of each, its place, and what it lacks."""

    kind: Sql
    at: Sql
    unchanged: Sql | None = None


@dataclass(slots=True)
class Source(core.Source[Output, Value]):
    """Something in FROM, and how its rows behave."""

    shape: Shape = STILL
    session: tuple[str, ...] | None = None
    """The columns that sessions are told apart by, where a SESSION stands in FROM."""
    rank: str | None = None
    """The column with the number of a row, where ROW_NUMBER is in it."""
    flow: Flow | None = None
    """The hidden columns of its rows, where it is a stream in a query over changelogs."""

    def value(self, column: str) -> Value:
        """The column as an expression sees it."""
        found = self.columns[column]
        return Value(found.sql or self.sql(column), found.type, time=found.time)


@dataclass(frozen=True, slots=True)
class Table(core.Table):
    """A query in FROM; one that is `ranked` needs a limit around it.

    `hidden` are the columns of a changelog that follow its own.
    """

    columns: tuple[Output, ...]
    shape: Shape = STILL
    ranked: Ranked | None = None
    hidden: tuple[str, ...] = ()

    @property
    def unnamed(self) -> tuple[str, ...]:
        """The columns of a changelog."""
        return self.hidden


Env = core.Env[Table]
"""The queries that WITH names."""


class Context(core.Context):
    """One query with all its parts, its windows of time and its steps."""

    def __init__(self, resolve: Resolver) -> None:
        super().__init__(resolve)
        self.windows: list[TimeWindow] = []
        self.steps: list[Step] = []
        self.database: str | None = None
        """The database of unqualified names inside a view."""
        self.normalizes = True
        """Whether an upsert changelog is made a full one where it is read."""
        self.needed: Mapping[str, frozenset[str]] | None = None
        """The columns that are read of each table, if a lowering before this one has found out."""
        self.normalized: dict[str, Sql] = {}
        """The steps that make upsert changelogs full ones, by the views of their tables."""
        self._numbers: dict[str, int] = {}
        self._views: list[Name] = []

    def relation(self, table: Name) -> Relation:
        """A table of the catalog."""
        if self.database is not None and table.database is None:
            table = replace(table, database=self.database)
        return super().relation(table)

    @contextmanager
    def inside(self, view: Name, relation: Relation) -> Iterator[None]:
        """While the query of a view is lowered: its names are those of its own database."""
        if view in self._views:
            raise errors.RECURSIVE_VIEW(view=view, place=view.place)
        before = self.database
        self.database = relation.database
        self._views.append(view)
        try:
            yield
        finally:
            self._views.pop()
            self.database = before

    def window(self, text: str) -> int:
        """A number for a window of time, the same for the same text."""
        return self._numbers.setdefault(text, len(self._numbers) + 1)

    def step(self, sql: Sql, **what: Any) -> Sql:
        """A part of the query as a view of its own; see `Step`."""
        text = str(sql)
        told = text or str(what["state"])
        mark = f"{zlib.crc32(told.encode()):08x}"  # queries of one session may have steps each
        view = f"sluice_step_{len(self.steps) + 1}_{mark}"
        self.steps.append(Step(view, text, **what))
        return name(view)


@dataclass(slots=True)
class Scope(core.Scope[Source, Value]):
    """The sources of one SELECT, and the scope of the query around it."""

    longest: ClassVar[int] = 3
    dotted: ClassVar[bool] = False

    env: Env = field(default_factory=core.Env)
    parent: Scope | None = None
