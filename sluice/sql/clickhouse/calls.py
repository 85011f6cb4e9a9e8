"""Calls of functions: the arguments are counted, then the table says what the call is in Spark."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import functions, operators, places
from sluice.sql.clickhouse.functions import states
from sluice.sql.clickhouse.functions.conversions import default_of
from sluice.sql.clickhouse.functions.model import Aggregate, Call, Function, Scalar, arity, fill
from sluice.sql.clickhouse.ordering import ordered_by, sort_key
from sluice.sql.clickhouse.promotion import derived
from sluice.sql.clickhouse.spark import ATOM, Sql
from sluice.sql.clickhouse.values import UNKNOWN, Value
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

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
    type_, text = function.result(args), function.core
    if function.ordered and (key := sort_key(args[-1].sql, args[-1].type)) is not None:
        text, args = function.ordered, [args[0], Value(key)]
    if not args and arity(text)[0] == 1:
        args = [operators.literal_of(1)]
    if written.distinct and "DISTINCT" not in text:
        text = text.replace("(", "(DISTINCT ", 1)
        text = text.replace(":0", ":*") if len(args) > 1 else text
    if written.nulls:
        text = text.replace(", true)", ")")
    core = fill(text, [*args, *params])
    for condition in written.filters:
        core = Sql(
            ":0 FILTER (WHERE :1)", core, expressions.condition(condition), rank=ATOM, wrap=False
        )
    if written.over is not None:
        over = _over(expressions, written, function)
        core = Sql(f":0{written.nulls} OVER (:1)", core, over, rank=ATOM, wrap=False)
    if function.outer:
        core = fill(function.outer, [Value(core), *params])
    default = None if is_nullable(type_) else (function.empty or default_of)(type_)
    core = Sql("coalesce(:0, :1)", core, default) if default is not None else core
    return Value(core, type_, bounds=function.bounds)


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


def _over(expressions: Expressions, written: _Written, function: Aggregate) -> Sql:
    """What stands in the parentheses of OVER; Spark wants an order where ranks are given."""
    window = cast("exp.Window", written.over)
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
        add("PARTITION BY", [expressions.value(item).plain() for item in partition])
    if order := window.args.get("order"):
        add(
            "ORDER BY",
            [ordered(item, _by(expressions.value(item.this))) for item in order.expressions],
        )
    elif function.window:
        parts.append("ORDER BY NULL")
    spec = window.args.get("spec")
    if function.frame:
        _check_frame(written, function, window)
    elif spec:
        parts.append(_frame(spec))
    return Sql(" ".join(parts), *args, wrap=False)


def _by(value: Value) -> Sql:
    return ordered_by(value.plain(), value.type)


def ordered(node: exp.Ordered, by: Sql) -> Sql:
    """An item of ORDER BY: NULLs come last unless asked for first, whatever the direction."""
    extra = [
        key for key, arg in node.args.items() if arg and key not in ("this", "desc", "nulls_first")
    ]
    if extra:
        what = f"{extra[0].replace('_', ' ').upper()} in ORDER BY"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
    direction = "DESC" if node.args.get("desc") else "ASC"
    nulls = "FIRST" if node.args.get("nulls_first") else "LAST"
    return Sql(f":0 {direction} NULLS {nulls}", by, wrap=False)


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


FRAMES = {"any": "", "start": "UNBOUNDED PRECEDING", "end": "UNBOUNDED FOLLOWING"}
"""Where the frame of `lag` and its like has to begin or end for Spark's to mean the same."""


def _check_frame(written: _Written, function: Aggregate, window: exp.Window) -> None:
    """Refuse a frame that leaves out rows which Spark's function would see."""
    bound = FRAMES[function.frame]
    spec = window.args.get("spec")
    frame = _frame(spec) if spec else "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    if not spec and not window.args.get("order"):
        frame = "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    begin, end = frame.partition("BETWEEN ")[2].split(" AND ")
    if bound and bound != (begin if function.frame == "start" else end):
        verb = "begin" if function.frame == "start" else "end"
        what = f"{written.name} in a frame that does not {verb} at {bound}"
        hint = "Write OVER (… ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=written.place)


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
