"""A column's type → the function that writes its values as text.

The function is made once per column; the rows' loop then only calls it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from sluice.formats import encoded_values
from sluice.formats.output import escapes, numbers
from sluice.types import encoded as e
from sluice.types import model as m

Writer = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Style:
    """What a family of formats does to text, to arrays and the like, and to NULL."""

    null: str
    text: Callable[[str], str]
    nested: Callable[[str], str] = escapes.raw


ESCAPED = Style("\\N", escapes.tab_escaped)
RAW = Style("\\N", escapes.raw)
CSV = Style("\\N", escapes.csv_quoted, escapes.csv_quoted)
QUOTED = Style("NULL", escapes.single_quoted)
SHOWN = Style("ᴺᵁᴸᴸ", escapes.raw)


def writer(type_: m.Type, style: Style) -> Writer:
    """The function that writes one value of a column in this style."""
    inner = m.bare(type_)
    if type(inner) in _NESTED:
        return _or_null(_then(_NESTED[type(inner)](inner), style.nested), style.null)
    text = scalar_text(inner)
    return _or_null(_then(text, style.text) if is_textual(inner) else text, style.null)


def scalar_text(type_: m.Type) -> Writer:
    """The bare text of a value that is not NULL and has no values inside."""
    return _SCALARS[type(type_)](type_)


def is_textual(type_: m.Type) -> bool:
    """Whether values of this type stand in quotes where text does."""
    return isinstance(type_, _TEXTUAL)


def _then(first: Writer, second: Callable[[str], str]) -> Writer:
    if second is escapes.raw:
        return first
    if first is escapes.raw:
        return second
    return lambda value: second(first(value))


def _or_null(write: Writer, null: str) -> Writer:
    return lambda value: null if value is None else write(value)


def _array(type_: m.Array) -> Writer:
    item = writer(type_.item, QUOTED)
    return lambda values: "[" + ",".join(map(item, values)) + "]"


def _map(type_: m.Map) -> Writer:
    key, value = writer(type_.key, QUOTED), writer(type_.value, QUOTED)
    return lambda pairs: "{" + ",".join(f"{key(k)}:{value(v)}" for k, v in pairs.items()) + "}"


def _tuple(type_: m.Tuple) -> Writer:
    items = [writer(item, QUOTED) for item in type_.items]
    return lambda values: (
        "(" + ",".join(item(v) for item, v in zip(items, values, strict=True)) + ")"
    )


def _datetime(type_: m.DateTime) -> Writer:
    zone = datetime.UTC if type_.zone in (None, "UTC") else ZoneInfo(type_.zone or "UTC")
    write = _local(m.LocalDateTime(type_.precision or 0))
    return lambda value: write(value.astimezone(zone).replace(tzinfo=None))


def _local(type_: m.LocalDateTime) -> Writer:
    def write(value: datetime.datetime) -> str:
        text = value.isoformat(" ", "seconds")
        digits = f"{value.microsecond:06}"[: type_.precision]
        return f"{text}.{digits}" if digits else text

    return write


def _bytes(value: bytes) -> str:
    """As Flink's client shows them."""
    return f"x'{bytes(value).hex()}'"


def _multiset(type_: m.Multiset) -> Writer:
    return _map(m.Map(type_.item, m.Int(32)))


_TEXTUAL = (
    m.String, m.FixedString, m.Uuid, m.Date, m.DateTime, m.Enum, m.LocalDateTime, m.TimeOfDay,
    m.Text, m.Bytes, m.Interval, e.IPv4, e.IPv6, e.FineDateTime, e.Time,
)  # fmt: skip

_NESTED: dict[type[m.Type], Callable[[Any], Writer]] = {
    m.Array: _array,
    m.Map: _map,
    m.Tuple: _tuple,
    m.Multiset: _multiset,
}

_SCALARS: dict[type[m.Type], Callable[[Any], Writer]] = {
    m.Int: lambda t: numbers.int_text,
    m.Float: lambda t: numbers.float32_text if t.bits == 32 else numbers.float64_text,
    m.Decimal: lambda t: numbers.decimal_text,
    m.Bool: lambda t: numbers.bool_text,
    m.String: lambda t: escapes.raw,
    m.FixedString: lambda t: escapes.raw,
    m.Uuid: lambda t: escapes.raw,
    m.Enum: lambda t: escapes.raw,
    m.Date: lambda t: str,
    m.DateTime: _datetime,
    m.LocalDateTime: _local,
    m.TimeOfDay: lambda t: escapes.raw,
    m.Text: lambda t: escapes.raw,
    m.Bytes: lambda t: _bytes,
    m.Interval: lambda t: str,
    m.Nothing: lambda t: str,
    **dict.fromkeys(e.TYPES, encoded_values.text),
}
