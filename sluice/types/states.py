"""States of aggregate functions: what is kept of the rows seen so far, so that more can be added.

Each function is a row: what Spark keeps for it, how that is made of rows (`build`), how several
become one (`merge`), and what the function's value is then (`final`). In these texts of Spark SQL
`:0` and `:1` are the arguments, the states or the state, and the parameters follow a state. A state
is a STRUCT with one field that is called like the function, so that none is taken for another's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluice.types import model as m
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from sluice.types.model import Type

Kept = Callable[[Sequence[str]], str]

_DOUBLE = "CAST(:0# AS DOUBLE)"


@dataclass(frozen=True, slots=True)
class State:
    """What is kept for an aggregate function; `kept` is Spark's type, from those of arguments.

    A function of `numbers` keeps days, seconds and decimals as DOUBLE.
    """

    kept: Kept
    build: str
    merge: str
    final: str
    takes: int = 1
    params: tuple[float, ...] = ()
    rest: bool = False
    numbers: bool = False


def _first(types: Sequence[str]) -> str:
    return types[0]


def _array(types: Sequence[str]) -> str:
    return f"ARRAY<{types[0]}>"


def _fixed(kept: str) -> Kept:
    return lambda _: kept


def _summed(types: Sequence[str]) -> str:
    """Wide enough for the sum of many."""
    name, _, scale = types[0].removesuffix(")").partition(",")
    if name.startswith("DECIMAL"):
        return f"DECIMAL(38,{scale})"
    return "DOUBLE" if name in ("FLOAT", "DOUBLE") else "BIGINT"


def _extreme(function: str) -> State:
    return State(_first, f"{function}(:0)", f"{function}(:0)", ":0")


def _bits(function: str) -> State:
    build = f"{function}(CAST(:0# AS BIGINT))"
    return State(_fixed("BIGINT"), build, f"{function}(:0)", ":0")


_PAIR = "{}(named_struct('x', :0, 'v', :1), if(:0 IS NULL, NULL, {}))"
"""The value of the row that an order chooses; a row without a value is none."""


def _by(function: str) -> State:
    return State(
        lambda types: f"STRUCT<x: {types[0]}, v: {types[1]}>",
        _PAIR.format(function, ":1"),
        f"{function}(:0, :0.v)",
        ":0.x",
        takes=2,
    )


_ALL, _DIFFERENT = "flatten(collect_list(:0))", "array_distinct(flatten(collect_list(:0)))"
_NONE = "coalesce(:0, array())"
_NTH = "get(array_sort(:0), CAST(least(floor(:1 * size(:0)), size(:0) - 1) AS INT))"

_ESTIMATE = State(
    _fixed("BINARY"),
    # An empty text would not be counted.
    "theta_sketch_agg(concat('=', CAST(:0 AS STRING)), 16)",
    "theta_union_agg(:0, 16)",
    "coalesce(theta_sketch_estimate(:0), 0L)",
)
_QUANTILE = State(
    _fixed("BINARY"),
    f"kll_sketch_agg_double({_DOUBLE}, 4096)",
    "kll_merge_agg_double(:0, 4096)",
    "kll_sketch_get_quantile_double(:0, :1)",
    params=(0.5,),
    numbers=True,
)
_QUANTILES = State(
    _fixed("BINARY"),
    _QUANTILE.build,
    _QUANTILE.merge,
    "kll_sketch_get_quantile_double(:0, array(:*))",
    rest=True,
    numbers=True,
)
_EXACT = State(_array, "collect_list(:0)", _ALL, _NTH, params=(0.5,))

STATES: dict[str, State] = {
    "count": State(
        _fixed("BIGINT"), "count(:0)", "sum(:0)", "coalesce(:0, 0L)", takes=0
    ),
    "sum": State(_summed, "sum(:0#)", "sum(:0)", ":0"),
    "avg": State(
        _fixed("STRUCT<sum: DOUBLE, count: BIGINT>"),
        f"named_struct('sum', sum({_DOUBLE}), 'count', count(:0))",
        "named_struct('sum', sum(:0.sum), 'count', sum(:0.count))",
        "try_divide(:0.sum, :0.count)",
        numbers=True,
    ),
    "min": _extreme("min"),
    "max": _extreme("max"),
    "any": State(_first, "first(:0, true)", "first(:0, true)", ":0"),
    "anyLast": State(_first, "last(:0, true)", "last(:0, true)", ":0"),
    "argMin": _by("min_by"),
    "argMax": _by("max_by"),
    "uniqExact": State(
        _array, "collect_set(:0)", _DIFFERENT, f"size({_NONE})"
    ),
    "groupArray": State(_array, "collect_list(:0)", _ALL, _NONE),
    "groupUniqArray": State(_array, "collect_set(:0)", _DIFFERENT, _NONE),
    "groupBitAnd": _bits("bit_and"),
    "groupBitOr": _bits("bit_or"),
    **dict.fromkeys(("uniq", "uniqCombined", "uniqCombined64"), _ESTIMATE),
    **dict.fromkeys(("uniqHLL12", "uniqTheta"), _ESTIMATE),
    **dict.fromkeys(("quantile", "median", "quantileTDigest", "quantileTiming"), _QUANTILE),
    **dict.fromkeys(("quantiles", "quantilesTDigest", "quantilesTiming"), _QUANTILES),
    **dict.fromkeys(("quantileExact", "medianExact"), _EXACT),
}  # fmt: skip

SIMPLE: dict[str, str] = {
    "any": "first(:0, true)",
    "anyLast": "last(:0, true)",
    "min": "min(:0)",
    "max": "max(:0)",
    "sum": "sum(:0)",
    "sumWithOverflow": "sum(:0)",
    "groupBitAnd": "bit_and(:0)",
    "groupBitOr": "bit_or(:0)",
    "groupBitXor": "bit_xor(:0)",
    "groupArrayArray": _ALL,
    "groupUniqArrayArray": _DIFFERENT,
}
"""Functions whose value is all that has to be kept: how several become one."""


def state_of(function: str, args: Sequence[Type]) -> State:
    """The row of a function; `min`, `argMin` and their like order values as ClickHouse does."""
    state = STATES[function]
    extreme = _EXTREMES.get(function)
    kind = m.bare(args[-1]) if args else None
    if extreme is None or kind is None or (key := _order(extreme, kind)) is None:
        return state
    if state.takes == 1:
        text = f"{extreme}(:0, {key.format(':0')})"
        return replace(state, build=text, merge=text)
    pair = _PAIR.format(extreme, key.format(":1"))
    return replace(state, build=pair, merge=f"{extreme}(:0, {key.format(':0.v')})")


def simple_merge(function: str, type_: Type) -> str:
    """How several values of a SimpleAggregateFunction become one."""
    extreme = _EXTREMES.get(function)
    key = _order(extreme, m.bare(type_)) if extreme is not None else None
    return SIMPLE[function] if key is None else f"{extreme}(:0, {key.format(':0')})"


_EXTREMES = {"min": "min_by", "max": "max_by", "argMin": "min_by", "argMax": "max_by"}


def _order(extreme: str, kind: Type) -> str | None:
    """What Spark has to order values by, which take the place of `{}`; None: by themselves.

    The names of an Enum are sorted by number. NaN is greater than nothing.
    """
    match kind:
        case m.Enum(values=values):
            names = ", ".join(_literal(name) for name, _ in values).replace("{", "{{")
            return f"array_position(array({names.replace('}', '}}')}), {{}})"
        case m.Uuid():
            return "concat(substr({0}, 20), substr({0}, 1, 18))"
        case m.Float() if extreme == "max_by":
            return "if(isnan({0}), double('-Infinity'), {0})"
        case _:
            return None


def _literal(text: str) -> str:
    """A literal that cannot be taken for a slot or a variable."""
    return quote_string(text).replace(":", "\\u003a").replace("$", "\\u0024")


def base(function: str) -> str:
    """A function without -If, which only filters its rows."""
    bare = function.removesuffix("If")
    return bare if bare in STATES and function not in STATES else function
