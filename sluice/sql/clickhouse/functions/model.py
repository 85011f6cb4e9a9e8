"""What a row of the function tables is, and the few ways to write one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.sql.clickhouse.ordering import numbered
from sluice.sql.clickhouse.promotion import derived, not_null, uncoded
from sluice.sql.clickhouse.values import BYTE, Value
from sluice.sql.core import functions
from sluice.sql.core.functions import SLOT, Overloads, arity, returned
from sluice.sql.core.spark import Sql
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type
from sluice.types import model as m
from sluice.types.encoded import Encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Returns = functions.Returns[Value]
Call = functions.Call[Value]
Scalar = functions.Scalar[Value]


@dataclass(frozen=True, slots=True)
class Core:
    """What Spark aggregates, one text for each aggregate, and what is done with the results.

    In `texts` the parameters (the 0.9 of `quantile(0.9)(x)`) follow the arguments, in `outer` they
    follow the results. `args` are the arguments, if others than those of the call.
    """

    texts: tuple[str, ...]
    outer: str | None = None
    args: Sequence[Value] | None = None


@dataclass(frozen=True, slots=True)
class Aggregate(functions.Aggregate[Value]):
    """A function over rows: `core` is how Spark aggregates, by the arguments and the parameters.

    `params` holds the defaults of its parameters, and `rest` allows any number of them. `limited`
    is the same with a parameter. `empty` gives the result over no rows for its type,
    None where Spark's is right; without one it is the type's default.
    `bounds` are those of its result. `ordered` is the core of a function that orders by its last
    argument, over the first one and what that one is ordered by (`ordering.sort_key`). `frame` is
    set for functions of neighbours, to whose windows Spark takes no frame: Spark's function if the
    neighbour has to be in the frame of its call, else "any".
    """

    core: Callable[[Sequence[Value], Sequence[Value]], Core] = field(kw_only=True)
    params: tuple[str | float, ...] = ()
    rest: bool = False
    empty: Callable[[Type], Sql | None] | None = None
    frame: str = ""
    limited: Aggregate | None = None
    bounds: tuple[int, int] | None = None
    ordered: str | None = None

    def result(self, args: Sequence[Value]) -> Type:
        """The type of a call; it has no dictionary, even if its arguments have one."""
        plain = [replace(arg, type=uncoded(arg.type)) for arg in args]
        type_ = returned(self.returns, plain)
        return derived(type_, plain) if self.derives else type_


@cache
def _number(value: Value) -> Sql:
    """A number to calculate with: that of an Enum's value, 0 or 1 of a Bool."""
    if value.is_a(m.String, m.FixedString, m.Uuid, m.Array, m.Map, m.Tuple, Encoded):
        reason = f"Illegal type {value.type} of argument: a number is expected"
        hint = "Convert a text first, for instance with toInt64 or toFloat64."
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint)
    return numbered(value).number()


def fill(text: str, args: Sequence[Value], zone: str | None = None) -> Sql:
    """A template with its arguments.

    `:0` is a value, `:0?` a condition, `:0#` a number, `:0@` a DateTime as its own clock shows
    it, and `:*` (with the same marks) are all arguments that have no slot of their own.
    """
    shown: dict[str, Callable[[Value], Sql]] = {
        "": Value.plain,
        "?": Value.condition,
        "#": _number,
        "@": lambda value: value.wall(zone),
    }
    if arity(text)[1] is None and len(args) <= arity(text)[0]:
        text = re.sub(r",\s*:\*[?@#]?", "", text)
    used: list[Sql] = []

    def slot(found: re.Match[str]) -> str:
        if found[1] != "*":
            used.append(shown[found[2]](args[int(found[1])]))
            return f":{len(used) - 1}"
        rest = [shown[found[2]](arg) for arg in args[arity(text)[0] :]]
        first = len(used)
        used.extend(rest)
        return ", ".join(f":{first + n}" for n in range(len(rest)))

    # The slots are numbered anew: an argument may be wanted as a value here and a condition there.
    rewritten = SLOT.sub(slot, text)
    return Sql(rewritten, *used)


def template(
    *texts: str,
    returns: Returns = UNKNOWN,
    logical: bool = False,
    zoned: bool = False,
    any_case: bool = False,
    derives: bool = True,
    doc: str = "",
) -> Scalar:
    """A function that is one Spark expression, one text for each number of arguments.

    `zoned` functions take a time zone as one more argument.
    """
    overloads = Overloads(texts)
    low, high = overloads.low, overloads.high

    def build(call: Call) -> Value:
        args = list(call.args())
        zone = None
        if zoned and args:
            if overloads.find(len(args)) is None:
                zone = call.literal(len(args) - 1)
                args.pop()
            zone = zone or args[0].zone
        sql = fill(overloads.choose(call, len(args)), args, zone)
        return Value(sql, returned(returns, args), logical=logical)

    most = None if high is None else high + zoned
    return Scalar(low, most, doc, any_case, derives, build=build)


def condition(text: str, **options: Any) -> Scalar:
    """A function that is a condition in Spark, and 0 or 1 in ClickHouse."""
    return template(text, returns=BYTE, logical=True, **options)


def aggregate(
    core: str | Callable[[Sequence[Value], Sequence[Value]], Core],
    outer: str | None = None,
    *,
    takes: int = 1,
    **options: Any,
) -> Aggregate:
    """An aggregate function of `takes` arguments: a text for all types, or Python code."""
    if isinstance(core, str):
        fixed = Core((core,), outer)
        return aggregate(lambda args, params: fixed, takes=takes, **options)
    return Aggregate(takes, options.pop("most", takes), core=core, **options)


def same(n: int) -> Callable[[Sequence[Value]], Type]:
    """The type of an argument."""
    return lambda args: args[n].type if n < len(args) else UNKNOWN


def item(n: int) -> Callable[[Sequence[Value]], Type]:
    """The type of the items of an array."""

    def find(args: Sequence[Value]) -> Type:
        kind = args[n].kind
        return kind.item if isinstance(kind, m.Array) else UNKNOWN

    return find


def array_of(n: int) -> Callable[[Sequence[Value]], Type]:
    """An array of what an argument is, without the NULLs that an aggregate leaves out."""
    return lambda args: m.Array(not_null(uncoded(args[n].type)))
