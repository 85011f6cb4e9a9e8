"""Calls of functions: the arguments are counted, then the table says what the call is in Spark."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.ordering import ordered
from sluice.sql.core.spark import ATOM, Sql
from sluice.sql.flink import casts, functions, intervals, windows
from sluice.sql.flink.functions.model import Aggregate, Call, Function, Scalar
from sluice.sql.flink.values import Value, literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import Place
    from sluice.sql.flink.expressions import Expressions


@dataclass(slots=True)
class _Written:
    """A call with all that may stand around it."""

    name: str
    args: list[exp.Expr]
    place: Place | None
    filters: list[exp.Expr] = field(default_factory=list)
    over: exp.Window | None = None
    distinct: bool = False


def call(expressions: Expressions, node: exp.Expr) -> Value:
    """Lower a call, with its OVER and FILTER clauses."""
    written = _written(node)
    upper = written.name.upper()
    plain = not (written.over or written.filters or written.distinct)
    made = Call(upper, tuple(written.args), expressions, written.place)
    if upper in _SPECIAL and plain:
        return _SPECIAL[upper](made)
    if plain and (found := windows.grouped(expressions, made)) is not None:
        return found
    function = functions.find(written.name, written.place)
    if isinstance(function, Aggregate):
        return _aggregate(expressions, written, function)
    if not plain:
        reason = f"{upper} is not an aggregate function"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    for arg in written.args:
        if isinstance(arg, exp.Kwarg) and upper not in ("JSON_VALUE", "JSON_QUERY"):
            what = f"{arg.name} => in {upper}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=written.place)
    _count(function, written)
    return cast("Scalar", function).build(made)


def _written(node: exp.Expr) -> _Written:
    over: exp.Window | None = None
    filters: list[exp.Expr] = []
    place = places.of_node(node)
    while not isinstance(node, exp.Anonymous):
        if isinstance(node, exp.Window):
            over = node
        elif isinstance(node, exp.Filter):
            filters.append(node.expression.this)
        else:
            what = f"The expression {type(node).__name__}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)
        node = node.this
    args = [arg for arg in node.expressions if not isinstance(arg, exp.Star)]
    if len(args) < len(node.expressions) and node.name.upper() != "COUNT":
        raise errors.BAD_ARGUMENTS(reason=f"* cannot stand in {node.name}", place=place)
    distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
    args = list(args[0].expressions) if distinct else args
    return _Written(node.name, args, place, filters, over, distinct)


def _count(function: Function, written: _Written) -> None:
    given = len(written.args)
    if given < function.low or (function.high is not None and given > function.high):
        raise errors.WRONG_ARGUMENT_COUNT(
            function=written.name, expected=function.takes(), given=given, place=written.place
        )


def _aggregate(expressions: Expressions, written: _Written, function: Aggregate) -> Value:
    if function.window and written.over is None:
        reason = f"{written.name.upper()} needs an OVER clause"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    _count(function, written)
    expressions.aggregates |= written.over is None
    expressions.whole |= written.over is not None
    if written.over is not None and expressions.streams:
        what = f"{written.name.upper()} … OVER on an unbounded stream"
        hint = "ROW_NUMBER with a limit around it is there, and windows of time."
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=written.place)
    if written.distinct and expressions.streams:
        function = functions.distinct(written.name.upper(), function, written.place)
        written = replace(written, distinct=False)
    args = [expressions.value(arg) for arg in written.args]
    if not args and function.core == "count(:0)":
        args = [literal(1)]
    text = function.core(args) if callable(function.core) else function.core
    if written.distinct:
        text = text.replace("(", "(DISTINCT ", 1)
    core = Sql(text, *(arg.sql for arg in args))
    for condition in written.filters:
        core = Sql(
            ":0 FILTER (WHERE :1)", core, expressions.condition(condition), rank=ATOM, wrap=False
        )
    if written.over is not None:
        core = Sql(":0 OVER (:1)", core, _over(expressions, written.over), rank=ATOM, wrap=False)
    if function.outer is not None:
        outer = function.outer(args) if callable(function.outer) else function.outer
        core = core if outer == ":0" else Sql(outer, core, *(arg.sql for arg in args))
    type_ = function.returns(args) if callable(function.returns) else function.returns
    return Value(core, type_)


def _over(expressions: Expressions, window: exp.Window) -> Sql:
    """What stands in the parentheses of OVER."""
    if (alias := window.args.get("alias")) is not None:
        if alias.name not in expressions.windows:
            reason = f"There is no WINDOW {alias.name}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(alias))
        window = expressions.windows[alias.name]
    parts: list[str] = []
    args: list[Sql] = []

    def add(word: str, items: list[Sql]) -> None:
        slots = ", ".join(f":{len(args) + n}" for n in range(len(items)))
        args.extend(items)
        parts.append(f"{word} {slots}")

    if partition := window.args.get("partition_by"):
        add("PARTITION BY", [expressions.value(item).sql for item in partition])
    if order := window.args.get("order"):
        add("ORDER BY", [ordered(i, expressions.value(i.this).sql) for i in order.expressions])
    if spec := window.args.get("spec"):
        parts.append(_frame(spec))
    return Sql(" ".join(parts), *args, wrap=False)


def _frame(spec: exp.WindowSpec) -> str:
    """ROWS or RANGE with bounds that are written out."""
    kind = str(spec.args.get("kind") or "ROWS").upper()
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude"):
        what = f"A window frame of {kind}"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(spec))
    bounds = [_bound(spec, end) for end in ("start", "end")]
    return f"{kind} BETWEEN {bounds[0]} AND {bounds[1]}"


def _bound(spec: exp.WindowSpec, end: str) -> str:
    bound, side = spec.args.get(end), str(spec.args.get(f"{end}_side") or "").upper()
    if isinstance(bound, exp.Interval):
        shown = str(intervals.lower(bound).sql)
    elif isinstance(bound, exp.Literal) and bound.name.isdecimal() and bound.name.isascii():
        shown = bound.name
    elif bound is None or str(bound).upper() in ("CURRENT ROW", "UNBOUNDED"):
        shown = str(bound or "CURRENT ROW").upper()
    else:
        what = "A bound of a window that is not written out"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(spec))
    if side not in ("", "PRECEDING", "FOLLOWING"):
        raise errors.SYNTAX_ERROR(reason=f"{side} in a window", place=places.of_node(spec))
    return f"{shown} {side}".strip()


_SPECIAL: dict[str, Callable[[Call], Value]] = {"CAST": casts.cast, "TRY_CAST": casts.try_cast}
"""What the grammar itself makes calls of."""
