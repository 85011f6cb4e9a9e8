"""CAST and TRY_CAST, with Flink's rules for text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core.spark import Sql, string
from sluice.sql.flink.values import (
    LONG,
    TEXTS,
    Value,
    as_written,
    cast_overflows,
    cast_sql,
    wrapped,
)
from sluice.types import bare, parse_type
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from sluice.sql.flink.functions.model import Call


def cast(call: Call) -> Value:
    """`CAST(x AS T)`: a text that does not fit is an error, a number too large for DECIMAL NULL.

    `TRY_CAST(x AS T)`: any value that does not fit is NULL.
    """
    function = "try_cast" if call.name == "TRY_CAST" else "CAST"
    value = call.arg(0)
    type_ = bare(parse_type(call.nodes[1].name))
    if isinstance(type_, m.String):
        return Value(value.text(), type_)
    if isinstance(type_, m.Text):
        cut = Sql(f"left(:0, {type_.length})", value.text())
        return Value(Sql(f"rpad(:0, {type_.length}, ' ')", cut) if type_.fixed else cut, type_)
    if isinstance(type_, m.TimeOfDay):
        return _time(call, value, type_, function)
    if m.holds(type_, m.TimeOfDay) or value.is_a(m.TimeOfDay):
        what = f"This {call.name}"
        raise errors.UNSUPPORTED_EXPRESSION(expression=what, hint="", place=call.place)
    if isinstance(type_, m.Int):
        return Value(_whole(call, value, type_), type_)
    if isinstance(type_, m.Decimal) and cast_overflows(value.type, type_):
        function = "try_cast"  # Flink's CAST of a number with too many digits is NULL as well
    sql = cast_sql(value.sql, type_, function)
    digits = type_.precision if isinstance(type_, m.LocalDateTime | m.DateTime) else None
    if digits in (0, 3):
        unit = "SECOND" if digits == 0 else "MILLISECOND"
        cut = Sql(f"date_trunc('{unit}', :0)", sql)
        sql = cast_sql(cut, type_)
    return Value(sql, type_)


def _whole(call: Call, value: Value, type_: m.Int) -> Sql:
    """An integer: the fraction is cut off, and so are the digits that do not fit.

    A text that is no number, or none of this type, is an error, or NULL for TRY_CAST.
    """
    kind = value.kind
    if isinstance(kind, m.Int) and (kind.bits <= type_.bits):
        return cast_sql(value.sql, type_)
    if isinstance(kind, m.Float) and type_.bits < LONG.bits:
        return wrapped(wrapped(value.sql, LONG), type_)
    made = wrapped(value.sql, type_)
    if isinstance(kind, m.Int | m.Float | m.Decimal) or call.name != "CAST":
        return made
    if not value.is_a(*TEXTS):
        return Sql("coalesce(:0, :1)", made, cast_sql(value.sql, type_))
    written = exp.Cast(this=call.nodes[0].copy(), to=exp.to_identifier(summary(type_)))
    refused = Sql("sluice_refuse(:0, :1)", value.sql, as_written(written))
    return Sql("coalesce(:0, :1)", made, wrapped(refused, type_))


def _time(call: Call, value: Value, type_: m.TimeOfDay, function: str) -> Value:
    digits = "S" * type_.precision
    pattern = string(f"HH:mm:ss{'.' if digits else ''}{digits}")
    if value.is_a(m.LocalDateTime, m.DateTime):
        return Value(Sql("date_format(:0, :1)", value.sql, pattern), type_)
    if value.is_a(*TEXTS):
        day = Sql("concat('1970-01-01 ', :0)", value.sql)
        moment = Sql(f"{function}(:0 AS TIMESTAMP_NTZ)", day)
        return Value(Sql("date_format(:0, :1)", moment, pattern), type_)
    what = f"This {call.name} to TIME"
    raise errors.UNSUPPORTED_EXPRESSION(expression=what, hint="", place=call.place)
