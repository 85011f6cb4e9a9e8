"""Expressions: a table from the kind of a node to how a dialect lowers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.values import V

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sluice.sql.core.scope import Context, Scope, Source
    from sluice.sql.core.spark import Sql
    from sluice.types import Type


class Expressions(Generic[V]):
    """Lowers the expressions of one SELECT; a node that is not in `handlers` is refused."""

    handlers: ClassVar[Mapping[type[exp.Expr], Callable[[Any, Any], Any]]]
    scope: Scope[Any, V]
    context: Context

    def __init__(
        self,
        scope: Scope[Any, V],
        context: Context,
        query: Callable[..., Any],
    ) -> None:
        self.scope = scope
        self.context = context
        self.query = query
        self.windows: dict[str, exp.Window] = {}

    def value(self, node: exp.Expr) -> V:
        """Lower an expression; an error without a place gets that of the expression."""
        handler = self.handlers.get(type(node))
        if handler is None:
            what = f"The expression {type(node).__name__}"
            raise self.refused(node, what)
        try:
            found: V = handler(self, node)
        except errors.SluiceError as bad:
            if bad.place is None:
                raise bad.at(places.of_node(node)) from bad
            raise
        return found

    def condition(self, node: exp.Expr) -> Sql:
        """Lower an expression to BOOLEAN."""
        raise NotImplementedError

    def sort_key(self, node: exp.Expr) -> Sql:
        """Lower what rows are ordered by."""
        return self.value(node).plain()

    def function(self, node: exp.Expr, types: Sequence[Type], *, condition: bool = False) -> V:
        """Lower a lambda whose parameters have these types; its type is the result's."""
        raise self.refused(node, "A lambda")

    def replacement(self, node: exp.Expr, replaced: Collection[str]) -> V:
        """An expression of `* REPLACE (…)`, in which the names it replaces mean the columns."""
        return self.value(node)

    def refused(self, node: exp.Expr, what: str, hint: str = "") -> errors.SluiceError:
        """The error for an expression that is not supported."""
        return errors.UNSUPPORTED_EXPRESSION(expression=what, hint=hint, place=places.of_node(node))

    # names

    def parts_of(self, node: exp.Column) -> list[str]:
        """The parts of a dotted name."""
        if isinstance(node.this, exp.Star):
            raise self.refused(node, "* inside an expression")
        return [part.name for part in node.parts]

    def source_column(self, source: Source[Any, V], column: str) -> V:
        """A column of a table; a computed one is the expression it stands for."""
        alias = source.columns[column].alias
        if alias is None:
            self.context.use(source, column)
            return source.value(column)
        alone = type(self.scope)(self.scope.env, None, [source])
        inner = type(self)(alone, self.context, self.query)
        return self.computed(inner.value(self.parsed(alias)), source.columns[column])

    def parsed(self, text: str) -> exp.Expr:
        """The tree of a computed column's expression."""
        raise NotImplementedError

    def computed(self, value: V, column: Any) -> V:
        """A computed column, from its lowered expression."""
        return value

    def dotted(self, node: exp.Dot) -> exp.Expr:
        """The name of a part in `f(x).name`."""
        part: exp.Expr = node.expression
        if isinstance(part, exp.Anonymous):
            shown = f"{node.this.sql()}.{part.name}"
            raise errors.UNKNOWN_FUNCTION(function=shown, hint="", place=places.of_node(part))
        if not isinstance(part, exp.Identifier | exp.Literal):
            raise self.refused(node, "This way to name a part of a value")
        return part


def operands(node: exp.Expr, kind: type[exp.Expr] = exp.And) -> list[exp.Expr]:
    """The operands of a chain of ANDs, or of ORs; anything else is its only operand."""
    return list(node.flatten(unnest=False)) if isinstance(node, kind) else [node]


def tested(node: exp.Case) -> list[tuple[exp.Expr, exp.Expr]]:
    """The conditions of a CASE with the results; `CASE x WHEN y` tests `x = y`."""
    return [
        (pair.this if node.this is None
         else exp.EQ(this=node.this.copy(), expression=pair.this.copy()), pair.args["true"])
        for pair in node.args["ifs"]
    ]  # fmt: skip
