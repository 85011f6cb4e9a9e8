"""Values of the types in `types.encoded` from and to what is stored of them, in ClickHouse's SQL.

Whatever is read of a data file goes through these expressions, so conditions on such a column are
not compared with the statistics of files, which are those of what is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.types import encoded as e
from sluice.types import model as m
from sluice.types import quote_string
from sluice.types.encoded import is_encoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.types import Type

_SIGN = "bitShiftLeft(toInt{0}(1), {1})"
_ITEM = "_e"


def stored_as(type_: e.Encoded) -> str:
    """The type of what is stored, as ClickHouse reads it from a data file."""
    return f"FixedString({type_.length})" if type_.length else "Int64"


def decoded(value: str, type_: Type) -> str:
    """The value of a type, which may have such values inside, from what is stored."""
    return _mapped(value, type_, _DECODED)


def encoded(value: str, type_: Type) -> str:
    """What is stored of a value."""
    return _mapped(value, type_, _ENCODED)


def _sign(bits: int) -> str:
    return _SIGN.format(bits, bits - 1)


def _whole(value: str, type_: e.WideInt) -> str:
    number = f"reinterpret(reverse({value}), {quote_string(str(type_))})"
    return f"bitXor({number}, {_sign(type_.bits)})" if type_.signed else number


def _whole_bytes(value: str, type_: e.WideInt) -> str:
    number = f"bitXor({value}, {_sign(type_.bits)})" if type_.signed else value
    return f"reverse(reinterpret({number}, 'FixedString({type_.length})'))"


def _of_ticks(value: str, type_: e.Time) -> str:
    """ClickHouse takes a Time64 of a decimal alone."""
    if type_.precision is None:
        return f"toTime(toInt32({value}))"
    return f"toTime64(reinterpret({value}, 'Decimal(18, {type_.precision})'), {type_.precision})"


def _ticks(value: str, type_: e.Time) -> str:
    if type_.precision is None:
        return f"toInt64(toInt32({value}))"
    return f"reinterpret(toDecimal64({value}, {type_.precision}), 'Int64')"


def _mapped(value: str, type_: Type, how: dict[type[Type], Callable[[str, Any], str]]) -> str:
    if not is_encoded(type_):
        return value
    match type_:
        case m.Nullable(item) | m.LowCardinality(item) | m.SimpleAggregate(item=item):
            return _mapped(value, item, how)
        case m.Array(item):
            return f"arrayMap({_ITEM} -> {_mapped(_ITEM, item, how)}, {value})"
        case m.Map(key, item):
            pair = f"tuple({_mapped('k', key, how)}, {_mapped('v', item, how)})"
            return f"mapApply((k, v) -> {pair}, {value})"
        case m.Tuple(items):
            parts = (
                _mapped(f"tupleElement({value}, {at})", item, how)
                for at, item in enumerate(items, start=1)
            )
            return f"tuple({', '.join(parts)})"
        case _:
            return how[type(type_)](value, type_)


_INT256 = e.WideInt(256)

_DECODED: dict[type[Type], Callable[[str, Any], str]] = {
    e.WideInt: _whole,
    e.WideDecimal: lambda v, t: f"reinterpret({_whole(v, _INT256)}, {quote_string(str(t))})",
    e.IPv4: lambda v, t: f"toIPv4(toUInt32({v}))",
    e.IPv6: lambda v, t: f"toIPv6({v})",
    e.FineDateTime: lambda v, t: f"reinterpret({v}, {quote_string(str(t))})",
    e.Time: _of_ticks,
}

_ENCODED: dict[type[Type], Callable[[str, Any], str]] = {
    e.WideInt: _whole_bytes,
    e.WideDecimal: lambda v, t: _whole_bytes(f"reinterpret({v}, 'Int256')", _INT256),
    e.IPv4: lambda v, t: f"toInt64(toUInt32({v}))",
    e.IPv6: lambda v, t: f"reinterpret({v}, 'FixedString(16)')",
    e.FineDateTime: lambda v, t: f"reinterpret({v}, 'Int64')",
    e.Time: _ticks,
}
