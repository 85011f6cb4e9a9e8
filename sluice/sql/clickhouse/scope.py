"""What names mean inside one SELECT."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse.functions.conversions import default_of
from sluice.sql.clickhouse.promotion import nullable
from sluice.sql.clickhouse.values import Value
from sluice.sql.core.spark import Sql, name
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type, is_nullable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import exp

    from sluice.errors import Place
    from sluice.sql.ir import Name
    from sluice.sql.relation import Resolver


@dataclass(frozen=True, slots=True)
class Output:
    """A column that a query gives."""

    name: str
    type: Type = UNKNOWN
    alias: str | None = None
    virtual: bool = False
    bounds: tuple[int, int] | None = None


@dataclass(slots=True)
class Source:
    """Something in FROM: `alias` is its name in Spark, `names` are those it may be written with.

    One that `may_miss` is on the side of a JOIN that may have no row. ClickHouse gives the types'
    defaults then, or with `nulls` (join_use_nulls) NULL where a type has it.
    """

    alias: str
    names: frozenset[tuple[str, ...]]
    columns: Mapping[str, Output]
    may_miss: bool = False
    nulls: bool = False

    def sql(self, column: str) -> Sql:
        """The column in Spark; a source without an alias has bare columns."""
        return name(self.alias, column) if self.alias else name(column)

    def value(self, column: str) -> Value:
        """The column as an expression sees it."""
        type_ = self.columns[column].type
        sql = self.sql(column)
        if self.may_miss and self.nulls:
            type_ = nullable(type_)
        default = default_of(type_) if self.may_miss and not is_nullable(type_) else None
        full = Sql("coalesce(:0, :1)", sql, default) if default else sql
        return Value(full, type_, bounds=self.columns[column].bounds)


@dataclass(frozen=True, slots=True)
class Table:
    """A query that can stand in FROM: a CTE."""

    sql: Sql
    columns: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class Env:
    """What a query inherits from those around it."""

    ctes: Mapping[str, Table] = field(default_factory=dict)
    constants: Mapping[str, exp.Expr] = field(default_factory=dict)

    def with_cte(self, cte: str, table: Table) -> Env:
        """One more CTE."""
        return replace(self, ctes={**self.ctes, cte: table})

    def with_constant(self, constant: str, node: exp.Expr) -> Env:
        """One more `WITH expression AS name`."""
        return replace(self, constants={**self.constants, constant: node})


class Context:
    """One query with all its parts: how tables are found, and which were."""

    def __init__(
        self, resolve: Resolver, database: str = "default", *, join_nulls: bool = False
    ) -> None:
        self._resolve = resolve
        self.database = database
        self.join_nulls = join_nulls
        self.tables: list[Name] = []
        self._count = 0

    def relation(self, table: Name) -> Source:
        """A table of the catalog."""
        found = self._resolve(table)
        if table not in self.tables:
            self.tables.append(table)
        columns = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in found.columns}
        names = {(table.table,)} | ({(table.database, table.table)} if table.database else set())
        return Source(found.view, frozenset(names), columns)

    def fresh(self) -> str:
        """A name for something that has none."""
        self._count += 1
        return f"_{self._count}"


@dataclass(slots=True)
class Scope:
    """The sources and aliases of one SELECT."""

    env: Env = field(default_factory=Env)
    sources: list[Source] = field(default_factory=list)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    shadows: dict[str, Value] = field(default_factory=dict)
    laterals: list[Sql] = field(default_factory=list)
    merged: dict[str, Callable[[], Value]] = field(default_factory=dict)

    def find(
        self, parts: Sequence[str], place: Place | None
    ) -> tuple[Source, str, list[str]] | None:
        """The source and column that a name means, with the parts left over as tuple elements."""
        for size in range(min(len(parts) - 1, 2), 0, -1):
            qualifier = tuple(parts[:size])
            for source in self.sources:
                if qualifier not in source.names:
                    continue
                for end in range(len(parts), size, -1):
                    column = ".".join(parts[size:end])
                    if column in source.columns:
                        return source, column, list(parts[end:])
        for end in range(len(parts), 0, -1):
            column = ".".join(parts[:end])
            holders = [source for source in self.sources if column in source.columns]
            if len(holders) > 1:
                which = " or ".join(f"{source.alias}.{column}" for source in holders)
                reason = f"Column {column} is in more than one table; write {which}"
                raise errors.BAD_ARGUMENTS(reason=reason, place=place)
            if holders:
                return holders[0], column, list(parts[end:])
        return None

    def unknown(self, column: str, place: Place | None) -> errors.SluiceError:
        """An error with the names that come closest."""
        known = [c for source in self.sources for c in source.columns]
        hint = errors.nearest(column, [*known, *self.aliases])
        if not self.sources:
            hint = hint or "There is no FROM here that could have it"
        return errors.UNKNOWN_COLUMN(column=column, hint=hint, place=place)
