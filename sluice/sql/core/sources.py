"""FROM: the sources of a SELECT, and what JOIN makes of two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.scope import S
from sluice.sql.core.spark import Sql
from sluice.sql.core.values import V

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import exp

    from sluice.sql.core.expressions import Expressions

SIDES = {"": "INNER", "LEFT": "LEFT", "RIGHT": "RIGHT", "FULL": "FULL"}
"""Which rows of a JOIN are kept, as it is written and in Spark."""


class From(Generic[S, V]):
    """Builds a FROM clause while it fills the scope of the SELECT."""

    kinds: ClassVar[frozenset[str]]
    """The words that may stand before JOIN besides its side."""
    join_hint: ClassVar[str]
    join_hints: ClassVar[Mapping[str, str]] = {}
    """What to write for kinds of JOIN that are not supported."""

    def __init__(self, expressions: Expressions[V]) -> None:
        self.expressions: Any = expressions
        self.parts: list[Sql] = []

    def sql(self) -> Sql | None:
        """The clause without the word FROM."""
        return spaced(self.parts) if self.parts else None

    def add(self, node: exp.Expr) -> S:
        """A table or subquery; it becomes a source of the scope."""
        source, sql = self.source(node)
        self.enter(source, node)
        self.parts.append(sql)
        return source

    def source(self, node: exp.Expr) -> tuple[S, Sql]:
        """What a node of FROM stands for."""
        raise NotImplementedError

    def enter(self, source: S, node: exp.Expr) -> None:
        """Make a source visible; no two may have one alias."""
        scope = self.expressions.scope
        if source.alias in {known.alias for known in scope.sources}:
            raise errors.DUPLICATE_TABLE_ALIAS(alias=source.alias, place=places.of_node(node))
        scope.sources.append(source)

    def check_join(self, node: exp.Join) -> None:
        """Refuse a kind of JOIN that is not supported."""
        if node.kind not in self.kinds or node.side not in SIDES or node.method:
            words = (node.method, node.side, node.kind, "JOIN")
            raise errors.UNSUPPORTED_JOIN(
                join=" ".join(word for word in words if word),
                hint=self.join_hints.get(node.kind, self.join_hint),
                place=places.of_node(node),
            )


def spaced(parts: Sequence[Sql]) -> Sql:
    """Parts of a clause, one after the other."""
    return Sql(" ".join(f":{n}" for n in range(len(parts))), *parts, wrap=False)


def equal(pairs: Sequence[tuple[Sql, Sql]]) -> Sql:
    """The condition of USING: the columns of both sides are equal."""
    sides = [Sql(":0 = :1", left, right) for left, right in pairs]
    return Sql(" AND ".join(f":{n}" for n in range(len(sides))), *sides, wrap=False)


def needs_condition(node: exp.Join, words: str = "ON or USING") -> errors.SluiceError:
    """The error for a JOIN without a condition."""
    reason = f"A JOIN needs {words}"
    return errors.SYNTAX_ERROR(reason=reason, place=places.of_node(node))


def merged(left: Callable[[], V], right: Callable[[], V], side: str) -> Callable[[], V]:
    """A USING column: of the side that always has a row, or of whichever has one."""

    def value() -> V:
        if side == "FULL":
            first = left()
            return type(first)(Sql("coalesce(:0, :1)", first.sql, right().sql), first.type)
        return right() if side == "RIGHT" else left()

    return value


def check_table(node: exp.Expr, *allowed: str) -> None:
    """Refuse clauses of a table in FROM that are not supported, such as SAMPLE."""
    for key, arg in node.args.items():
        if arg and key not in allowed:
            clause = key.strip("_").replace("_", " ").upper()
            raise places.unsupported(node, f"{clause} in FROM")
