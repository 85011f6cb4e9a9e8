"""Calls of functions: what may stand around them, the windows of OVER, and ORDER BY."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.spark import ATOM, Clauses, Sql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place
    from sluice.sql.core.expressions import Expressions
    from sluice.sql.core.functions import Aggregate
    from sluice.sql.core.values import V

_NULLS: dict[type[exp.Expr], str] = {
    exp.IgnoreNulls: "IGNORE NULLS",
    exp.RespectNulls: "RESPECT NULLS",
}


@dataclass(slots=True)
class Written:
    """A call with its clauses: `params` are those of `f(params)(args)`, `star` is `f(*)`."""

    name: str
    args: list[exp.Expr]
    place: Place | None
    params: list[exp.Expr] = field(default_factory=list)
    filters: list[exp.Expr] = field(default_factory=list)
    over: exp.Window | None = None
    distinct: bool = False
    star: bool = False
    nulls: str = ""

    @property
    def plain(self) -> bool:
        """Whether it has none of the clauses that only aggregate functions take."""
        return not (self.over or self.filters or self.distinct or self.params)


def written(node: exp.Expr) -> Written:
    """Unwrap a call from its OVER, FILTER and NULLS clauses."""
    found = Written("", [], places.of_node(node))
    while not isinstance(node, exp.Anonymous | exp.ParameterizedAgg):
        if isinstance(node, exp.Window):
            found.over = node
        elif isinstance(node, exp.Filter):
            found.filters.append(node.expression.this)
        elif type(node) in _NULLS:
            found.nulls = _NULLS[type(node)]
        else:
            raise errors.UNSUPPORTED_EXPRESSION(
                expression=f"The expression {type(node).__name__}", hint="", place=found.place
            )
        node = node.this
    found.name = node.name
    args = node.expressions
    if isinstance(node, exp.ParameterizedAgg):
        args, found.params = node.args["params"], list(node.expressions)
    found.args = [arg for arg in args if not isinstance(arg, exp.Star)]
    found.star = len(found.args) < len(args)
    if len(found.args) == 1 and isinstance(found.args[0], exp.Distinct):
        found.distinct, found.args = True, list(found.args[0].expressions)
    return found


def not_aggregate(call: Written) -> errors.SluiceError:
    """The error for OVER, FILTER or DISTINCT at a function of one row."""
    return errors.NOT_AN_AGGREGATE_FUNCTION(function=call.name, place=call.place)


def check_over(call: Written, function: Aggregate[V]) -> None:
    """Refuse a window function without OVER."""
    if function.window and call.over is None:
        raise errors.OVER_REQUIRED(function=call.name, place=call.place)


def filtered(sql: Sql, conditions: Sequence[Sql]) -> Sql:
    """An aggregate with its FILTER clauses."""
    for condition in conditions:
        sql = Sql(":0 FILTER (WHERE :1)", sql, condition, rank=ATOM, wrap=False)
    return sql


def named_window(expressions: Expressions[V], over: exp.Window) -> exp.Window:
    """The window of an OVER clause, looked up if it has a name."""
    alias = over.args.get("alias")
    if alias is None:
        return over
    if alias.name not in expressions.windows:
        raise errors.UNKNOWN_WINDOW(window=alias.name, place=places.of_node(alias))
    return expressions.windows[alias.name]


def ordered(node: exp.Ordered, by: Sql) -> Sql:
    """An item of ORDER BY: NULLs come last unless asked for first, whatever the direction."""
    extra = [
        key for key, arg in node.args.items() if arg and key not in ("this", "desc", "nulls_first")
    ]
    if extra:
        clause = extra[0].replace("_", " ").upper()
        raise places.unsupported(node, f"{clause} in ORDER BY")
    direction = "DESC" if node.args.get("desc") else "ASC"
    nulls = "FIRST" if node.args.get("nulls_first") else "LAST"
    return Sql(f":0 {direction} NULLS {nulls}", by, wrap=False)


def over_clause(
    expressions: Expressions[V], window: exp.Window, frame: str = "", *, needs_order: bool = False
) -> Sql:
    """The content of OVER (…); Spark wants an order for ranks, even if any will do."""
    text = Clauses()
    if partition := window.args.get("partition_by"):
        text.add("PARTITION BY :*", *(expressions.value(item).plain() for item in partition))
    if order := window.args.get("order"):
        keys = [ordered(item, expressions.sort_key(item.this)) for item in order.expressions]
        text.add("ORDER BY :*", *keys)
    elif needs_order:
        text.add("ORDER BY NULL")
    if frame:
        text.add(frame)
    return text.sql()


def window_frame(
    spec: exp.WindowSpec | None, interval: Callable[[exp.Interval], Sql] | None = None
) -> str:
    """ROWS or RANGE between constant bounds; `interval` lowers those that are an INTERVAL."""
    if spec is None:
        return ""
    kind = str(spec.args.get("kind") or "ROWS").upper()
    bounds = [_bound(spec, end, interval) for end in ("start", "end")]
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude") or None in bounds:
        raise errors.UNSUPPORTED_WINDOW_FRAME(frame=spec.sql(), place=places.of_node(spec))
    return f"{kind} BETWEEN {bounds[0]} AND {bounds[1]}"


def _bound(
    spec: exp.WindowSpec, end: str, interval: Callable[[exp.Interval], Sql] | None
) -> str | None:
    """One bound of a frame, None for one that is not supported."""
    bound, side = spec.args.get(end), str(spec.args.get(f"{end}_side") or "").upper()
    if isinstance(bound, exp.Interval) and interval is not None:
        shown = str(interval(bound))
    elif isinstance(bound, exp.Literal) and bound.name.isdecimal() and bound.name.isascii():
        shown = bound.name
    elif bound is None or str(bound).upper() in ("CURRENT ROW", "UNBOUNDED"):
        shown = str(bound or "CURRENT ROW").upper()
    else:
        return None
    return f"{shown} {side}".strip() if side in ("", "PRECEDING", "FOLLOWING") else None
