"""Columns of JSON messages: Flink's types for those that ClickHouse finds in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.types import Type


def flink(type_: Type) -> Type:
    """What Flink reads a value as; it may be NULL, as any field of JSON."""
    return m.Nullable(_inside(m.bare(type_)))


def _inside(type_: Type) -> Type:
    if isinstance(type_, m.Int):
        return m.Int(64) if type_.high < 1 << 63 else m.Decimal(20, 0)
    if isinstance(type_, m.Float | m.Bool):
        return type_
    if isinstance(type_, m.Array):
        return m.Array(flink(type_.item))
    if isinstance(type_, m.Map):
        return m.Map(m.String(), flink(type_.value))
    if isinstance(type_, m.Tuple) and type_.names:
        return m.Tuple(tuple(map(flink, type_.items)), type_.names)
    return m.String()
