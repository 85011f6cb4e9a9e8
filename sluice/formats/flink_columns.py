"""Which columns Flink's csv and avro have: the reason why some do not fit, in Flink's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Columns = Sequence[tuple[str, m.Type]]

_SIMPLE = (
    m.Int, m.Float, m.Decimal, m.Bool, m.String, m.Text, m.Bytes, m.Date, m.TimeOfDay,
    m.LocalDateTime, m.DateTime,
)  # fmt: skip
_CLOCK = 3
"""Digits of a second that a time of day has in a message."""


def inside(type_: m.Type) -> tuple[m.Type, ...]:
    """The types of the values that are inside a value, keys of maps among them."""
    plain = m.bare(type_)
    if isinstance(plain, m.Array | m.Multiset):
        return (plain.item,)
    if isinstance(plain, m.Map):
        return (plain.key, plain.value)
    return plain.items if isinstance(plain, m.Tuple) else ()


def csv(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    """For csv: a field holds one value, or several simple ones."""
    for name, column in columns:
        type_ = m.bare(column)
        if not isinstance(type_, (*_SIMPLE, m.Array, m.Tuple)):
            return f"Unsupported type '{summary(type_)}' for field '{name}'."
        for each in map(m.bare, inside(type_)):
            if not isinstance(each, _SIMPLE):
                return (
                    "Only simple types are supported in the second level nesting of fields "
                    f"'{name}' but was: {summary(each)}"
                )
        for each in (type_, *map(m.bare, inside(type_))):
            if isinstance(each, m.TimeOfDay) and each.precision > _CLOCK and not writes:
                return (
                    f"Csv does not support TIME type with precision: {each.precision}, "
                    "it only supports precision 0 ~ 3."
                )
    return ""


def avro(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """For avro: a schema is made of the columns, so each needs a place in one."""
    for name, type_ in columns:
        reason = _name(name) or _avro(type_, legacy=options["timestamp_mapping.legacy"])
        if reason:
            return reason
    return ""


def _name(name: str) -> str:
    return "" if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) else f"Illegal character in: {name}"


def _avro(column: m.Type, *, legacy: bool) -> str:
    type_ = m.bare(column)
    reason = ""
    if isinstance(type_, m.Map | m.Multiset):
        key = m.bare(inside(type_)[0])
        if not isinstance(key, m.String | m.Text):
            reason = (
                "Avro format doesn't support non-string as key type of map. "
                f"The key type is: {summary(key)}"
            )
    elif isinstance(type_, m.TimeOfDay):
        reason = _precise("TIME", type_.precision)
    elif isinstance(type_, m.LocalDateTime):
        reason = _precise("TIMESTAMP", type_.precision)
    elif isinstance(type_, m.DateTime) and not legacy:
        reason = _precise("TIMESTAMP", type_.precision or 0)
    elif isinstance(type_, m.Tuple):
        reason = next(filter(None, map(_name, type_.names or ())), "")
    elif not isinstance(type_, (*_SIMPLE, m.Array)) or isinstance(type_, m.DateTime):
        reason = f"Unsupported to derive Schema for type: {summary(type_)}"
    inner = (_avro(each, legacy=legacy) for each in inside(type_))
    return reason or next(filter(None, inner), "")


def _precise(word: str, precision: int) -> str:
    """With more digits Flink writes milliseconds that it calls microseconds, if anything."""
    if precision <= _CLOCK:
        return ""
    return (
        f"Avro does not support {word} type with precision: {precision}, "
        "it only supports precision less than 3."
    )
