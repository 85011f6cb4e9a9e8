"""Calls of functions: the arguments are counted, then the table says what the call is in Spark."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sluice import errors
from sluice.sql.clickhouse import functions, operators, scalars
from sluice.sql.clickhouse.casts import default_of
from sluice.sql.clickhouse.functions import states
from sluice.sql.clickhouse.functions.model import Aggregate, Call, Core, Scalar, fill
from sluice.sql.clickhouse.ordering import sort_key
from sluice.sql.clickhouse.promotion import derived
from sluice.sql.clickhouse.values import Value
from sluice.sql.core import calls
from sluice.sql.core.functions import arity, invalid
from sluice.sql.core.spark import ATOM, Sql
from sluice.sql.core.values import UNKNOWN
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from sluice.sql.clickhouse.expressions import Expressions
    from sluice.sql.core.calls import Written


def call(expressions: Expressions, node: exp.Expr) -> Value:
    """Lower a call, with its OVER, FILTER and NULLS clauses."""
    written = calls.written(node)
    if written.name in _SPECIAL and not written.over:
        return _SPECIAL[written.name](expressions, written)
    if (combined := states.find(written.name)) is not None:
        return _combined(expressions, written, combined)
    function, conditional = functions.find(written.name, written.place)
    if isinstance(function, Aggregate):
        if conditional and written.args:
            written.filters.append(written.args.pop())
        return _aggregate(expressions, written, function)
    if not written.plain:
        raise calls.not_aggregate(written)
    function.check(written.name, len(written.args), written.place)
    made = Call(written.name, tuple(written.args), expressions, written.place)
    if written.name in scalars.OF_MOMENTS:
        made.lowered.update(enumerate(map(scalars.shortened, made.args())))
    value = cast("Scalar", function).build(made)  # there are no kinds but the two
    scalars.check(written.name, made.lowered.values(), written.place)
    if not function.derives:
        return value
    return replace(value, type=derived(value.type, tuple(made.lowered.values())))


def _aggregate(expressions: Expressions, written: Written, function: Aggregate) -> Value:
    calls.check_over(written, function)
    if written.distinct and function is functions.FUNCTIONS["count"]:
        function = cast("Aggregate", functions.FUNCTIONS["uniqExact"])
    function.check(written.name, len(written.args), written.place)
    if written.params and function.limited is not None:
        function = function.limited
    args = [expressions.value(arg) for arg in written.args]
    scalars.check(written.name.removesuffix("If"), args, written.place)
    params = _params(expressions, written, function)
    type_, core = function.result(args), function.core(args, params)
    args = list(args if core.args is None else core.args)
    if function.ordered and (key := sort_key(args[-1].sql, args[-1].type)) is not None:
        core, args = Core((function.ordered,)), [args[0], Value(key)]
    if not args and arity(core.texts[0])[0] == 1:
        args = [operators.literal_of(1)]
    conditions = [expressions.condition(condition) for condition in written.filters]
    over, window, nulls = None, None, f" {written.nulls}" if written.nulls else ""
    if written.over is not None:
        window = calls.named_window(expressions, written.over)
        frame = "" if function.frame else calls.window_frame(window.args.get("spec"))
        over = calls.over_clause(expressions, window, frame, needs_order=function.window)
    found: list[Sql] = []
    for text in core.texts:
        sql = fill(_worded(text, written), [*args, *params])
        sql = calls.filtered(sql, conditions)
        if over is not None:
            sql = Sql(f":0{nulls} OVER (:1)", sql, over, rank=ATOM, wrap=False)
        found.append(sql)
    sql = fill(core.outer, [*map(Value, found), *params]) if core.outer else found[0]
    default = None if is_nullable(type_) else (function.empty or default_of)(type_)
    sql = Sql("coalesce(:0, :1)", sql, default) if default is not None else sql
    if function.frame and window is not None and over is not None:
        sql = _in_frame(expressions, written, function, window, over, Value(sql, type_), args)
    return Value(sql, type_, bounds=function.bounds)


def _worded(text: str, written: Written) -> str:
    """The text of an aggregate with the DISTINCT and the NULLS clause of its call."""
    if written.distinct and "DISTINCT" not in text:
        text = text.replace("(", "(DISTINCT ", 1)
    return text.replace(", true)", ")") if written.nulls else text


def _combined(expressions: Expressions, written: Written, name: states.Combined) -> Value:
    """A call with -State, -Merge or a similar combinator at the end of the function's name."""
    if written.over is not None or written.distinct:
        reason = f"{written.name} takes neither OVER nor DISTINCT"
        raise invalid(reason, written.place)
    if name.conditional and written.args:
        written.filters.append(written.args.pop())
    if name.combinator == states.SIMPLE_STATE:
        function, _ = functions.find(name.function, written.place)
        found = _aggregate(expressions, written, cast("Aggregate", function))
        known = found.type != UNKNOWN
        return replace(found, type=m.SimpleAggregate(name.function, found.type)) if known else found
    args = [expressions.value(arg) for arg in written.args]
    scalars.check(name.function.removesuffix("If"), args, written.place)
    for condition in map(expressions.condition, written.filters):
        given = args or [operators.literal_of(1)]
        args = [
            Value(Sql("CASE WHEN :0 THEN :1 END", condition, arg.plain()), arg.settled().type)
            for arg in given
        ]
    params = [expressions.value(param) for param in written.params]
    return states.lower(name, written.name, args, params, written.place)


def _params(expressions: Expressions, written: Written, function: Aggregate) -> list[Value]:
    given = [expressions.value(param) for param in written.params]
    if function.rest:
        return given
    if len(given) > len(function.params):
        reason = f"{written.name} takes {len(function.params)} parameters, {len(given)} given"
        raise invalid(reason, written.place)
    defaults = [operators.literal_of(default) for default in function.params[len(given) :]]
    return [*given, *defaults]


def _in_frame(
    expressions: Expressions,
    written: Written,
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
        what = f"The offset of {written.name}"
        raise errors.CONSTANT_REQUIRED(what=what, type="an integer", place=written.place)
    frame = calls.window_frame(spec) or "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    kind, _, bounds = frame.partition(" BETWEEN ")
    low, high = (_distance(bound) for bound in bounds.split(" AND "))
    at = -offset if function.frame == "lag" else offset
    if kind == "RANGE" and not all(math.isinf(bound) or bound == 0 for bound in (low, high)):
        what, hint = f"{written.name} in the window frame {frame}", "Write a frame of ROWS"
        raise errors.UNSUPPORTED_EXPRESSION(expression=what, hint=hint, place=written.place)
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


def _array_join(expressions: Expressions, written: Written) -> Value:
    """`arrayJoin(a)`: one row for each item."""
    functions.ARRAY_JOIN.check(written.name, len(written.args), written.place)
    array = expressions.value(written.args[0])
    if array.type != UNKNOWN and not array.is_a(m.Array):
        reason = f"Argument for function arrayJoin must be Array, not {array.type}"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="", place=written.place)
    type_ = array.kind.item if isinstance(array.kind, m.Array) else UNKNOWN
    return Value(expressions.explode(array.sql), type_)


def _current_database(expressions: Expressions, _: Written) -> Value:
    return operators.literal_of(expressions.context.database)


_SPECIAL: dict[str, Callable[[Expressions, Written], Value]] = {
    "arrayJoin": _array_join,
    "currentDatabase": _current_database,
    "database": _current_database,
}
"""Functions that mean something to the SELECT they stand in."""
