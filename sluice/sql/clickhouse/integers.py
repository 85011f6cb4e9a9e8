"""Integers in as many bits as a type has: what wraps around, and what is known to fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.clickhouse.values import LONG, ULONG, Value
from sluice.sql.core.spark import Sql
from sluice.types import model as m
from sluice.types import spark_type

if TYPE_CHECKING:
    from sluice.types import Type

_MODULUS = 1 << 64


def within(bounds: tuple[int, int], kind: m.Int) -> bool:
    """Whether a type holds every value between two."""
    return kind.low <= bounds[0] and bounds[1] <= kind.high


def wrapped(number: Sql, kind: m.Int) -> Sql:
    """A DECIMAL as an integer of 64 bits, of which the higher ones are cut off."""
    if not kind.signed:
        return Sql(f"pmod(:0, {_MODULUS})", number)
    half = _MODULUS // 2
    return Sql(f"CAST(pmod(:0 + {half}, {_MODULUS}) - {half} AS BIGINT)", number)


def cut_off(source: Sql, kind: Type, type_: m.Int) -> Sql:
    """An integer of a kind in as many bits as a type has."""
    if type_.bits == 64 and type_.signed and kind != ULONG:
        return Sql("CAST(:0 AS BIGINT)", source)
    if type_.bits == 64:
        return wrapped(Sql("CAST(:0 AS DECIMAL(20,0))", source), type_)
    if kind == ULONG:
        source = wrapped(source, LONG)
    left = 64 - type_.bits
    text = f"shiftright(shiftleft(CAST(:0 AS BIGINT), {left}), {left})"
    if not type_.signed:
        text = f"CAST(:0 AS BIGINT) & {type_.high}L"
    return Sql(f"CAST({text} AS {spark_type(type_)})", source)


def fitted(value: Value, type_: m.Int) -> Sql:
    """An integer as one of a type; only what may not fit is cut off."""
    fits = value.reach is not None and within(value.reach, type_)
    return value.number() if fits else cut_off(value.number(), value.kind, type_)


def wide(value: Value) -> Sql:
    """An integer as BIGINT, unless it has that size already."""
    there = value.bounds is not None or value.kind == LONG
    return value.number() if there else Sql("CAST(:0 AS BIGINT)", value.number())
