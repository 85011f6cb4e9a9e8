"""What names mean inside one SELECT of ClickHouse."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from sluice.sql.clickhouse.casts import or_default
from sluice.sql.clickhouse.promotion import nullable
from sluice.sql.clickhouse.values import Value
from sluice.sql.core import scope as core

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from sluice.sql.core.spark import Sql
    from sluice.sql.relation import Resolver


@dataclass(frozen=True, slots=True)
class Output(core.Output):
    """A column; `bounds` are those of its values, where more is known than the type."""

    bounds: tuple[int, int] | None = None


@dataclass(slots=True)
class Source(core.Source[Output, Value]):
    """Something in FROM.

    One that `may_miss` is on the side of a JOIN that may have no row. ClickHouse gives the types'
    defaults then, or with `nulls` (join_use_nulls) NULL where a type has it.
    """

    may_miss: bool = False
    nulls: bool = False

    def value(self, column: str) -> Value:
        """The column as an expression sees it."""
        type_ = self.columns[column].type
        sql = self.sql(column)
        if self.may_miss and self.nulls:
            type_ = nullable(type_)
        full = or_default(sql, type_) if self.may_miss else sql
        return Value(full, type_, bounds=self.columns[column].bounds)


@dataclass(frozen=True, slots=True)
class Table(core.Table):
    """A query in FROM."""

    columns: tuple[Output, ...]


@dataclass(frozen=True)
class Env(core.Env[Table]):
    """The queries and the expressions that WITH names."""

    constants: Mapping[str, exp.Expr] = field(default_factory=dict)

    def with_constant(self, constant: str, node: exp.Expr) -> Env:
        """One more `WITH expression AS name`."""
        return replace(self, constants={**self.constants, constant: node})


class Context(core.Context):
    """One query with all its parts, and the settings that it is lowered with."""

    def __init__(
        self, resolve: Resolver, database: str = "default", *, join_nulls: bool = False
    ) -> None:
        super().__init__(resolve)
        self.database = database
        self.join_nulls = join_nulls


@dataclass(slots=True)
class Scope(core.Scope[Source, Value]):
    """The sources and aliases of one SELECT."""

    longest: ClassVar[int] = 2
    dotted: ClassVar[bool] = True

    env: Env = field(default_factory=Env)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    shadows: dict[str, Value] = field(default_factory=dict)
    laterals: list[Sql] = field(default_factory=list)
