"""Values counted in the smallest unit of their type: days, seconds, milliseconds, hundredths.

ClickHouse interpolates and averages dates and decimals as such numbers.
"""

from __future__ import annotations

from sluice.sql.clickhouse.values import Value
from sluice.sql.core.spark import Sql
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type
from sluice.types import model as m

_DIGITS = 6
"""Digits of a second that Spark has."""


def has_units(kind: Type) -> bool:
    """Whether values of a type are no numbers that Spark could average as they are."""
    return isinstance(kind, m.Date | m.DateTime | m.Decimal)


def counted(value: Value) -> Value:
    """How many units a value is; a number is itself."""
    match value.kind:
        case m.Date():
            text = "unix_date(:0)"
        case m.DateTime():
            text = f"unix_micros(:0) DIV {_micros(value.kind)}"
        case m.Decimal(scale=scale):
            # A product in DECIMAL might not fit.
            text = f"rint(CAST(:0 AS DOUBLE) * 1e{scale}D)"
        case _:
            return value
    return Value(Sql(text, value.sql), UNKNOWN)


def restored(text: str, kind: Type) -> str:
    """The text of a value that is so many units; parts of one are cut off."""
    match kind:
        case m.Date():
            return f"date_from_unix_date(CAST({text} AS INT))"
        case m.DateTime():
            return f"timestamp_micros(CAST({text} AS BIGINT) * {_micros(kind)})"
        case m.Decimal(precision, scale):
            whole = f"({text} - {text} % 1) / 1e{scale}D"
            return f"CAST({whole} AS DECIMAL({precision},{scale}))"
        case _:
            return text


def from_number(text: str, kind: Type) -> str:
    """The text of a value from days, from seconds with a fraction, or from a decimal number."""
    match kind:
        case m.Date():
            return restored(f"rint({text})", kind)
        case m.DateTime():
            return restored(f"rint({text} * {10**_DIGITS // _micros(kind)})", kind)
        case m.Decimal(precision, scale):
            return f"CAST({text} AS DECIMAL({precision},{scale}))"
        case _:
            return restored(text, kind)


def _micros(kind: m.DateTime) -> int:
    """How many microseconds a unit has."""
    return int(10 ** max(_DIGITS - (kind.precision or 0), 0))
