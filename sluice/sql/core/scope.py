"""What names mean inside one SELECT."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from sluice import errors
from sluice.sql.core.spark import Sql, name
from sluice.sql.core.values import UNKNOWN, V

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from sluice.errors import Place
    from sluice.sql.ir import Name
    from sluice.sql.relation import Relation, Resolver
    from sluice.types import Type


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a table or of a query's result; `alias` is the text of a computed one."""

    name: str
    type: Type = UNKNOWN
    alias: str | None = None
    virtual: bool = False


O = TypeVar("O", bound=Output)  # noqa: E741 - it stands beside S, T and V


@dataclass(slots=True)
class Source(Generic[O, V]):
    """Something in FROM: `alias` is its name in Spark, `names` are those it may be written with.

    `view` is the temporary view of a table of the catalog.
    """

    alias: str
    names: frozenset[tuple[str, ...]]
    columns: Mapping[str, O]
    view: str = field(default="", kw_only=True)

    def sql(self, column: str) -> Sql:
        """The column in Spark; a source without an alias has bare columns."""
        return name(self.alias, column) if self.alias else name(column)

    def value(self, column: str) -> V:
        """The column as an expression sees it."""
        raise NotImplementedError


S = TypeVar("S", bound=Source[Any, Any])


@dataclass(frozen=True, slots=True)
class Table:
    """A query in FROM."""

    sql: Sql
    columns: tuple[Output, ...]

    @property
    def unnamed(self) -> tuple[str, ...]:
        """The columns that follow its own and that no query names."""
        return ()

    def followed_by(self, column: Output, value: Sql) -> Self:
        """The query with one more column."""
        own = (name(each.name) for each in self.columns)
        parts = (*own, Sql(":0 AS :1", value, name(column.name), wrap=False))
        shown = (*parts, *map(name, self.unnamed))
        sql = Sql("SELECT :* FROM (:0)", self.sql, *shown, wrap=False)
        return replace(self, sql=sql, columns=(*self.columns, column))


T = TypeVar("T", bound=Table)


@dataclass(frozen=True)  # an alias `Env[Table]` of one with slots cannot be called
class Env(Generic[T]):
    """What a query inherits from those around it: the queries that WITH names."""

    ctes: Mapping[str, T] = field(default_factory=dict)

    def with_cte(self, cte: str, table: T) -> Env[T]:
        """One more CTE."""
        return replace(self, ctes={**self.ctes, cte: table})


class Context:
    """One query with all its parts: how tables are resolved, which were, and what it uses."""

    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve
        self.tables: list[Name] = []
        self._uses: dict[str, set[str]] = {}
        self._count = 0

    def relation(self, table: Name) -> Relation:
        """A table of the catalog."""
        found = self._resolve(table)
        if found.query is None and table not in self.tables:
            self.tables.append(table)
        return found

    def use(self, source: Source[Any, Any], *columns: str) -> None:
        """Note that the query reads columns of a source."""
        if source.view:
            self._uses.setdefault(source.view, set()).update(columns)

    def uses(self) -> dict[str, frozenset[str]]:
        """The columns that the query reads, by the views of their tables."""
        return {view: frozenset(columns) for view, columns in self._uses.items()}

    def fresh(self) -> str:
        """A name for something that has none."""
        self._count += 1
        return f"_{self._count}"


@dataclass(slots=True)
class Scope(Generic[S, V]):
    """The sources of one SELECT; `merged` are the columns of USING.

    A name that is not found is looked up in the scope of the query around it, the `parent`.
    """

    longest: ClassVar[int]
    """The parts of the longest name that a table may be written with."""
    dotted: ClassVar[bool]
    """Whether a column may have dots in its name without quotes."""

    env: Any
    parent: Any = None
    sources: list[S] = field(default_factory=list)
    merged: dict[str, Callable[[], V]] = field(default_factory=dict)

    def find(self, parts: Sequence[str], place: Place | None) -> tuple[S, str, list[str]] | None:
        """The source and column that a name means, with the parts left over as fields of it."""
        for size in range(min(len(parts) - 1, self.longest), 0, -1):
            for source in self.sources:
                if tuple(parts[:size]) not in source.names:
                    continue
                for column, rest in self._splits(parts[size:]):
                    if column in source.columns:
                        return source, column, rest
        for column, rest in self._splits(parts):
            holders = [source for source in self.sources if column in source.columns]
            if len(holders) > 1:
                which = " or ".join(f"{source.alias}.{column}" for source in holders)
                raise errors.AMBIGUOUS_COLUMN(column=column, choices=which, place=place)
            if holders:
                return holders[0], column, rest
        found: tuple[S, str, list[str]] | None = (
            self.parent.find(parts, place) if self.parent is not None else None
        )
        return found

    def _splits(self, parts: Sequence[str]) -> Iterable[tuple[str, list[str]]]:
        """The ways to read a name as a column and fields of it, the longest column first."""
        longest = len(parts) if self.dotted else 1
        return ((".".join(parts[:end]), list(parts[end:])) for end in range(longest, 0, -1))

    def unknown(
        self, column: str, place: Place | None, more: Iterable[str] = ()
    ) -> errors.SluiceError:
        """The error for a column that is not found, with the names that come closest."""
        known = [each for source in self.sources for each in source.columns]
        if not self.dotted:
            known = [f"`{each}`" if "." in each else each for each in known]
        hint = errors.nearest(column, [*known, *more])
        if not self.sources:
            hint = hint or "There is no FROM here that could have it"
        return errors.UNKNOWN_COLUMN(column=column, hint=hint, place=place)

    def starred(self, qualifier: tuple[str, ...], place: Place | None) -> list[S]:
        """The sources whose columns `*`, or `t.*`, stands for."""
        if not self.sources:
            raise errors.STAR_WITHOUT_FROM(place=place)
        found = [s for s in self.sources if not qualifier or qualifier in s.names]
        if not found:
            raise errors.UNKNOWN_TABLE(table=".".join(qualifier), hint="", place=place)
        return found
