"""Calls of functions: the arguments are counted, then the table says what the call is in Spark."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import functions, operators
from sluice.sql.clickhouse.functions import states
from sluice.sql.clickhouse.functions.conversions import default_of
from sluice.sql.clickhouse.functions.model import Aggregate, Call, Core, Function, Scalar, fill
from sluice.sql.clickhouse.ordering import ordered_by, sort_key
from sluice.sql.clickhouse.promotion import derived
from sluice.sql.clickhouse.values import Value
from sluice.sql.core import places
from sluice.sql.core.functions import arity
from sluice.sql.core.ordering import ordered
from sluice.sql.core.spark import ATOM, Sql
from sluice.sql.core.values import UNKNOWN
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place
    from sluice.sql.clickhouse.expressions import Expressions


@dataclass(slots=True)
class _Written:
    """A call with all that may stand around it."""

    name: str
    args: list[exp.Expr]
    params: list[exp.Expr]
    place: Place | None
    filters: list[exp.Expr] = field(default_factory=list)
    over: exp.Window | None = None
    distinct: bool = False
    nulls: str = ""


def call(expressions: Expressions, node: exp.Expr) -> Value:
    """Lower a call, with its OVER, FILTER and NULLS clauses."""
    written = _written(expressions, node)
    if written.name in _SPECIAL and not written.over:
        return _SPECIAL[written.name](expressions, written)
    if (combined := states.find(written.name)) is not None:
        return _combined(expressions, written, combined)
    function, conditional = functions.find(written.name, written.place)
    if isinstance(function, Aggregate):
        if conditional and written.args:
            written.filters.append(written.args.pop())
        return _aggregate(expressions, written, function)
    if written.over or written.filters or written.distinct or written.params:
        reason = f"{written.name} is not an aggregate function"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    _count(function, written, len(written.args))
    made = Call(written.name, tuple(written.args), expressions, written.place)
    value = cast("Scalar", function).build(made)  # there are no kinds but the two
    if not function.derives:
        return value
    return replace(value, type=derived(value.type, tuple(made.lowered.values())))


def _written(expressions: Expressions, node: exp.Expr) -> _Written:
    over: exp.Window | None = None
    filters: list[exp.Expr] = []
    nulls = ""
    place = places.of_node(node)
    while not isinstance(node, exp.Anonymous | exp.ParameterizedAgg):
        if isinstance(node, exp.Window):
            over = node
        elif isinstance(node, exp.Filter):
            filters.append(node.expression.this)
        elif isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
            nulls = " IGNORE NULLS" if isinstance(node, exp.IgnoreNulls) else " RESPECT NULLS"
        else:
            what = f"The expression {type(node).__name__}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)
        node = node.this
    args = node.args["params"] if isinstance(node, exp.ParameterizedAgg) else node.expressions
    params = node.expressions if isinstance(node, exp.ParameterizedAgg) else []
    args = [arg for arg in args if not isinstance(arg, exp.Star)]
    distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
    args = list(args[0].expressions) if distinct else args
    return _Written(node.name, args, list(params), place, filters, over, distinct, nulls)


def _count(function: Function, written: _Written, given: int) -> None:
    if given < function.low or (function.high is not None and given > function.high):
        raise errors.WRONG_ARGUMENT_COUNT(
            function=written.name, expected=function.takes(), given=given, place=written.place
        )


def _aggregate(expressions: Expressions, written: _Written, function: Aggregate) -> Value:
    if function.window and written.over is None:
        reason = f"{written.name} needs an OVER clause"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    if not written.distinct:
        _count(function, written, len(written.args))
    if written.params and function.limited is not None:
        function = function.limited
    args = [expressions.value(arg) for arg in written.args]
    params = _params(expressions, written, function)
    type_, core = function.result(args), function.core(args, params)
    args = list(args if core.args is None else core.args)
    if function.ordered and (key := sort_key(args[-1].sql, args[-1].type)) is not None:
        core, args = Core((function.ordered,)), [args[0], Value(key)]
    if not args and arity(core.texts[0])[0] == 1:
        args = [operators.literal_of(1)]
    conditions = [expressions.condition(condition) for condition in written.filters]
    over, window = None, None
    if written.over is not None:
        window = _window(expressions, written.over)
        over = _over(expressions, window, function)
    found: list[Sql] = []
    for text in core.texts:
        sql = fill(_worded(text, written, len(args)), [*args, *params])
        for condition in conditions:
            sql = Sql(":0 FILTER (WHERE :1)", sql, condition, rank=ATOM, wrap=False)
        if over is not None:
            sql = Sql(f":0{written.nulls} OVER (:1)", sql, over, rank=ATOM, wrap=False)
        found.append(sql)
    sql = fill(core.outer, [*map(Value, found), *params]) if core.outer else found[0]
    default = None if is_nullable(type_) else (function.empty or default_of)(type_)
    sql = Sql("coalesce(:0, :1)", sql, default) if default is not None else sql
    if function.frame and window is not None and over is not None:
        sql = _in_frame(expressions, written, function, window, over, Value(sql, type_), args)
    return Value(sql, type_, bounds=function.bounds)


def _worded(text: str, written: _Written, count: int) -> str:
    """The text of an aggregate with the DISTINCT and the NULLS clause of its call."""
    if written.distinct and "DISTINCT" not in text:
        text = text.replace("(", "(DISTINCT ", 1)
        text = text.replace(":0", ":*") if count > 1 else text
    return text.replace(", true)", ")") if written.nulls else text


def _combined(expressions: Expressions, written: _Written, name: states.Combined) -> Value:
    """A call with -State, -Merge or one of their kind behind the function's name."""
    if written.over is not None or written.distinct:
        reason = f"{written.name} takes neither OVER nor DISTINCT"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    if name.conditional and written.args:
        written.filters.append(written.args.pop())
    if name.combinator == states.SIMPLE_STATE:
        function, _ = functions.find(name.function, written.place)
        found = _aggregate(expressions, written, cast("Aggregate", function))
        known = found.type != UNKNOWN
        return replace(found, type=m.SimpleAggregate(name.function, found.type)) if known else found
    args = [expressions.value(arg) for arg in written.args]
    for condition in map(expressions.condition, written.filters):
        given = args or [operators.literal_of(1)]
        args = [
            Value(Sql("CASE WHEN :0 THEN :1 END", condition, arg.plain()), arg.settled().type)
            for arg in given
        ]
    params = [expressions.value(param) for param in written.params]
    return states.lower(name, written.name, args, params, written.place)


def _params(expressions: Expressions, written: _Written, function: Aggregate) -> list[Value]:
    given = [expressions.value(param) for param in written.params]
    if function.rest:
        return given
    if len(given) > len(function.params):
        reason = f"{written.name} takes {len(function.params)} parameters, {len(given)} given"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    defaults = [operators.literal_of(default) for default in function.params[len(given) :]]
    return [*given, *defaults]


def _window(expressions: Expressions, over: exp.Window) -> exp.Window:
    """A window, looked up if it has a name."""
    alias = over.args.get("alias")
    if alias is None:
        return over
    if alias.name not in expressions.windows:
        reason = f"There is no WINDOW {alias.name}"
        raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(alias))
    return expressions.windows[alias.name]


def _over(expressions: Expressions, window: exp.Window, function: Aggregate) -> Sql:
    """What stands in the parentheses of OVER; Spark wants an order where ranks are given."""
    parts: list[str] = []
    args: list[Sql] = []

    def add(word: str, items: list[Sql]) -> None:
        slots = ", ".join(f":{len(args) + n}" for n in range(len(items)))
        args.extend(items)
        parts.append(f"{word} {slots}")

    if partition := window.args.get("partition_by"):
        add("PARTITION BY", [expressions.value(item).plain() for item in partition])
    if order := window.args.get("order"):
        add(
            "ORDER BY",
            [ordered(item, _by(expressions.value(item.this))) for item in order.expressions],
        )
    elif function.window:
        parts.append("ORDER BY NULL")
    spec = window.args.get("spec")
    if spec and not function.frame:
        parts.append(_frame(spec))
    return Sql(" ".join(parts), *args, wrap=False)


def _by(value: Value) -> Sql:
    return ordered_by(value.plain(), value.type)


def _frame(spec: exp.WindowSpec) -> str:
    """ROWS or RANGE with literal bounds."""
    kind = str(spec.args.get("kind", "ROWS")).upper()
    bounds = []
    for end in ("start", "end"):
        bound, side = spec.args.get(end), spec.args.get(f"{end}_side") or ""
        text = bound.name if isinstance(bound, exp.Literal) else str(bound or "CURRENT ROW")
        words = f"{text} {side}".strip().upper()
        if kind not in ("ROWS", "RANGE") or (
            words.split()[0] not in ("UNBOUNDED", "CURRENT") and not (words.split()[0].isdecimal())
        ):
            what = f"The window frame {spec.sql('clickhouse')}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(spec))
        bounds.append(words)
    return f"{kind} BETWEEN {bounds[0]} AND {bounds[1]}"


def _in_frame(
    expressions: Expressions,
    written: _Written,
    function: Aggregate,
    window: exp.Window,
    over: Sql,
    found: Value,
    args: Sequence[Value],
) -> Sql:
    """A neighbour that Spark found in the whole partition, the default if the frame ends before it.

    A frame of ROWS has it or not, whatever the row. One of RANGE that ends at the current row has
    all rows that are equal to it by the order.
    """
    offset = args[1].literal if len(args) > 1 else 1
    spec = window.args.get("spec")
    if function.frame == "any" or (spec is None and not window.args.get("order")):
        return found.sql
    if not isinstance(offset, int) or offset < 0:
        reason = f"The offset of {written.name} is a whole number that is written out"
        raise errors.BAD_ARGUMENTS(reason=reason, place=written.place)
    frame = _frame(spec) if spec else "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    kind, _, bounds = frame.partition(" BETWEEN ")
    low, high = (_distance(bound) for bound in bounds.split(" AND "))
    at = -offset if function.frame == "lag" else offset
    if kind == "RANGE" and not all(math.isinf(bound) or bound == 0 for bound in (low, high)):
        what, hint = f"{written.name} in the window frame {frame}", "Write a frame of ROWS"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=written.place)
    if low <= at <= high:
        return found.sql
    default = args[2].plain() if len(args) > 2 else default_of(found.type)
    if default is None or (len(args) < 3 and is_nullable(found.type)):
        default = Sql("NULL", rank=ATOM)
    order = window.args.get("order")
    if kind == "ROWS" or order is None:
        return default
    keys = Sql("struct(:*)", *(expressions.value(item.this).plain() for item in order.expressions))
    text = f"if({function.frame}(:0, {offset}) OVER (:1) <=> :0, :2, :3)"
    return Sql(text, keys, over, found.sql, default)


def _distance(bound: str) -> float:
    """How many rows a bound of a frame is ahead of the current row."""
    if bound == "CURRENT ROW":
        return 0
    count, side = bound.split(" ")
    far = math.inf if count == "UNBOUNDED" else int(count)
    return -far if side == "PRECEDING" else far


def _array_join(expressions: Expressions, written: _Written) -> Value:
    """`arrayJoin(a)`: one row for each item."""
    if len(written.args) != 1:
        given = len(written.args)
        raise errors.WRONG_ARGUMENT_COUNT(
            function="arrayJoin", expected=1, given=given, place=written.place
        )
    array = expressions.value(written.args[0])
    if array.type != UNKNOWN and not array.is_a(m.Array):
        reason = f"Argument for function arrayJoin must be Array, not {array.type}"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="", place=written.place)
    type_ = array.kind.item if isinstance(array.kind, m.Array) else UNKNOWN
    return Value(expressions.explode(array.sql), type_)


def _current_database(expressions: Expressions, _: _Written) -> Value:
    return operators.literal_of(expressions.context.database)


_SPECIAL: dict[str, Callable[[Expressions, _Written], Value]] = {
    "arrayJoin": _array_join,
    "currentDatabase": _current_database,
    "database": _current_database,
}
"""Functions that mean something to the SELECT they stand in."""
