"""States of aggregate functions as ClickHouse has them, made of what files have, in its own SQL.

What is kept of a function's rows is told by `types.states`; here each function that can go on from
that has a row. A state whose bytes are simple is made of these, any other by the function itself,
of the values that are kept. What it does with a state then, ClickHouse computes with its own code.

`uniq` and `quantile` and their like are not here: what is kept for them are sketches, of which no
state of ClickHouse's can be made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.clickhouse import encoded
from sluice.types import bare, is_nullable, quote_string
from sluice.types import model as m
from sluice.types.encoded import Encoded
from sluice.types.states import base

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.types import Type

_SCALARS = (
    m.Int, m.Float, m.Decimal, m.Bool, m.String, m.FixedString, m.Uuid, m.Enum, m.Date, m.DateTime,
    Encoded,
)  # fmt: skip
"""What an argument may be: a value that is missing is NULL in the files."""


@dataclass(frozen=True, slots=True)
class _Function:
    """What files have of a state, for the types of the arguments, and a state that is made of it.

    The type is None if no state can be made.
    """

    kept: Callable[[m.AggregateState], Type | None]
    made: Callable[[str, m.AggregateState], str]


def stored(type_: m.AggregateState) -> m.Tuple | None:
    """The type that a state has in files, as ClickHouse reads it; None if it is left to Spark."""
    name = base(type_.function)
    function = _FUNCTIONS.get(name)
    kept = function.kept(type_) if function is not None and _has_plain_condition(type_) else None
    return m.Tuple((kept,), (name,)) if kept is not None else None


def made(value: str, type_: m.AggregateState) -> str:
    """The state that is made of a value of the `stored` type."""
    function = _FUNCTIONS[base(type_.function)]
    return _cast(function.made(f"tupleElement({value}, 1)", type_), type_)


def merged(states: str, type_: m.AggregateState) -> str:
    """The state of all rows of a column of states."""
    return _cast(f"{type_.function}MergeState{_params(type_)}({states})", type_)


def _params(type_: m.AggregateState) -> str:
    return f"({', '.join(map(str, type_.params))})" if type_.params else ""


def _cast(text: str, type_: object) -> str:
    return f"CAST({text}, {quote_string(str(type_))})"


def _has_plain_condition(type_: m.AggregateState) -> bool:
    """Whether the condition of -If is never NULL: ClickHouse has other states if it may be."""
    return not (_is_conditional(type_) and is_nullable(type_.args[-1]))


def _is_conditional(type_: m.AggregateState) -> bool:
    return base(type_.function) != type_.function


def _scalar(type_: Type) -> Type | None:
    """What files have of an argument's value, or of none."""
    inner = bare(type_)
    return m.Nullable(inner) if isinstance(inner, _SCALARS) else None


def _decoded(value: str, type_: Type) -> str:
    """The value of an argument as what it is, or NULL."""
    inner = bare(type_)
    return _cast(encoded.decoded(value, inner), m.Nullable(inner))


def _at_most_one(value: str, has_value: str, type_: Type) -> str:
    """An array of a value of a type, or of none."""
    whole, one = m.Array(type_), value if is_nullable(type_) else f"assumeNotNull({value})"
    return f"if({has_value}, {_cast(f'[{one}]', whole)}, {_cast('[]', whole)})"


def _reduced(type_: m.AggregateState, *arrays: str) -> str:
    """The state of a function over the values in arrays."""
    given = [*arrays]
    if _is_conditional(type_):
        ones = f"arrayWithConstant(length({arrays[0]}), 1)"
        given.append(_cast(ones, m.Array(type_.args[-1])))
    name = quote_string(f"{type_.function}State{_params(type_)}")
    return f"arrayReduce({name}, {', '.join(given)})"


def _first(type_: m.AggregateState) -> Type | None:
    return _scalar(type_.args[0])


def _of_value(value: str, type_: m.AggregateState) -> str:
    own = _decoded(value, type_.args[0])
    return _reduced(type_, _at_most_one(own, f"isNotNull({value})", type_.args[0]))


def _pair(type_: m.AggregateState) -> Type | None:
    value, by = (_scalar(each) for each in type_.args[:2])
    return m.Tuple((value, by), ("x", "v")) if value is not None and by is not None else None


def _of_pair(value: str, type_: m.AggregateState) -> str:
    """Without what to order by there has been no row."""
    parts = [f"tupleElement({value}, {at})" for at in (1, 2)]
    known = f"isNotNull({parts[1]})"
    arrays = (
        _at_most_one(_decoded(part, each), known, each)
        for part, each in zip(parts, type_.args, strict=False)
    )
    return _reduced(type_, *arrays)


def _list(type_: m.AggregateState) -> Type | None:
    inner = bare(type_.args[0])
    return m.Array(inner) if isinstance(inner, _SCALARS) else None


def _of_list(value: str, type_: m.AggregateState) -> str:
    own = m.Array(bare(type_.args[0]))
    return _reduced(type_, _cast(encoded.decoded(value, own), m.Array(type_.args[0])))


_COUNT = m.Nullable(m.Int(64))


def _count(type_: m.AggregateState) -> Type | None:
    return _COUNT


def _of_count(value: str, type_: m.AggregateState) -> str:
    return _varint(value)


def _varint(value: str) -> str:
    """The bytes of a number: groups of seven bits, the lowest first; zeros may follow."""
    number = f"ifNull({value}, 0)"
    more = (f"bitOr(bitShiftRight({number}, {7 * at}), 128)" for at in range(8))
    return f"char({', '.join(more)}, bitShiftRight({number}, 56))"


def _bits(type_: m.AggregateState) -> Type | None:
    return _COUNT if isinstance(bare(type_.args[0]), m.Int) else None


def _sum(type_: m.AggregateState) -> Type | None:
    match bare(type_.args[0]):
        case m.Int(bits=64, signed=False):
            return m.Nullable(m.Decimal(38, 0))
        case m.Int() | m.Bool():
            return m.Nullable(m.Int(64))
        case m.Float(bits=32 | 64):
            return m.Nullable(m.Float(64))
        case m.Decimal(scale=scale):
            return m.Nullable(m.Decimal(38, scale))
        case _:
            return None


def _of_sum(value: str, type_: m.AggregateState) -> str:
    number = f"ifNull({value}, 0)"
    match bare(type_.args[0]):
        case m.Int(bits=64, signed=False):
            number = f"toUInt64(reinterpret({number}, 'Int128'))"
        case m.Decimal():
            return _flagged(_bytes(number, 16), f"isNotNull({value})", type_)
    return _flagged(_bytes(number, 8), f"isNotNull({value})", type_)


def _average(type_: m.AggregateState) -> Type | None:
    if not isinstance(bare(type_.args[0]), m.Int | m.Float | m.Decimal | m.Date | m.DateTime):
        return None
    return m.Tuple((m.Nullable(m.Float(64)), _COUNT), ("sum", "count"))


def _of_average(value: str, type_: m.AggregateState) -> str:
    total, count = (f"tupleElement({value}, {at})" for at in (1, 2))
    number = f"ifNull({total}, 0)"
    match bare(type_.args[0]):
        case m.Float():
            number = _bytes(number, 8)
        case m.Decimal(scale=digits) | m.DateTime(precision=int(digits)):
            number = _bytes(f"toInt128(round({number} * 1e{digits}))", 16)
        case m.Int(signed=True) | m.Date(wide=True):  # a sum wraps around, as in ClickHouse
            number = _bytes(f"toInt64(toInt256({number}))", 8)
        case _:
            number = _bytes(f"toUInt64(toInt256({number}))", 8)
    return _flagged(f"concat({number}, {_varint(count)})", f"ifNull({count}, 0) > 0", type_)


def _bytes(number: str, length: int) -> str:
    return f"concat(reinterpret({number}, 'FixedString({length})'), '')"


def _flagged(state: str, has_value: str, type_: m.AggregateState) -> str:
    """The bytes of a state; of a Nullable argument they tell first whether there was a value."""
    if not is_nullable(type_.args[0]):
        return state
    return f"if({has_value}, concat(char(1), {state}), char(0))"


_VALUE, _BITS = _Function(_first, _of_value), _Function(_bits, _of_value)
_PAIR, _LIST = _Function(_pair, _of_pair), _Function(_list, _of_list)

_FUNCTIONS: dict[str, _Function] = {
    "count": _Function(_count, _of_count),
    "sum": _Function(_sum, _of_sum),
    "avg": _Function(_average, _of_average),
    **dict.fromkeys(("min", "max", "any", "anyLast"), _VALUE),
    **dict.fromkeys(("argMin", "argMax"), _PAIR),
    **dict.fromkeys(("uniqExact", "groupArray", "groupUniqArray"), _LIST),
    **dict.fromkeys(("quantileExact", "medianExact"), _LIST),
    **dict.fromkeys(("groupBitAnd", "groupBitOr"), _BITS),
}
