"""`INTERVAL '1:30' HOUR TO MINUTE`: checked, as Spark's literal, and in milliseconds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.functions import invalid
from sluice.sql.core.spark import Sql
from sluice.sql.flink.values import Value
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

_MILLIS = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}
_TIMES = {"WEEK": ("DAY", 7), "QUARTER": ("MONTH", 3)}
_SPANS = {
    ("YEAR", "MONTH"): r"(\d+)-(\d+)",
    ("DAY", "HOUR"): r"(\d+) (\d+)",
    ("DAY", "MINUTE"): r"(\d+) (\d+):(\d+)",
    ("DAY", "SECOND"): r"(\d+) (\d+):(\d+):(\d+(?:\.\d{1,9})?)",
    ("HOUR", "MINUTE"): r"(\d+):(\d+)",
    ("HOUR", "SECOND"): r"(\d+):(\d+):(\d+(?:\.\d{1,9})?)",
    ("MINUTE", "SECOND"): r"(\d+):(\d+(?:\.\d{1,9})?)",
}
_FIELDS = ("DAY", "HOUR", "MINUTE", "SECOND")


def _parts(node: exp.Interval) -> tuple[str, tuple[str, ...], Sequence[str]]:
    """The sign, the units at both ends, and the numbers between."""
    unit = node.args["unit"]
    ends = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit,)
    units = tuple(end.name for end in ends)
    text = node.this.name.strip()
    sign = "-" if text.startswith("-") != text.startswith("--") else ""
    body = text.lstrip("+-")
    if len(units) == 1:
        pattern = r"(\d+(?:\.\d{1,9})?)" if units == ("SECOND",) else r"(\d+)"
    else:
        pattern = _SPANS.get(units, r"(?!)")
    found = re.fullmatch(pattern, body, re.A)
    if found is None:
        shown = " TO ".join(units)
        raise errors.INVALID_LITERAL(
            literal=f"'{node.this.name}'", type=f"INTERVAL {shown}", place=places.of_node(node)
        )
    return sign, units, found.groups()


def lower(node: exp.Interval) -> Value:
    """An interval in Spark."""
    sign, units, numbers = _parts(node)
    if units[0] in _TIMES:
        unit, times = _TIMES[units[0]]
        text = f"{sign}{int(numbers[0]) * times}"
        return Value(Sql(f"INTERVAL '{text}' {unit}", rank=100), m.Interval(unit))
    shown = " TO ".join(units)
    body = node.this.name.strip().lstrip("+-")
    return Value(Sql(f"INTERVAL '{sign}{body}' {shown}", rank=100), m.Interval(shown))


def milliseconds(node: exp.Expr, what: str, *, signed: bool = False) -> int:
    """How long an interval is; one of months has no length, and only a `signed` one can be 0."""
    if not isinstance(node, exp.Interval):
        name, place = f"The length of {what}", places.of_node(node)
        raise errors.CONSTANT_REQUIRED(what=name, type="an INTERVAL", place=place)
    sign, units, numbers = _parts(node)
    if units == ("WEEK",):
        total = int(numbers[0]) * 7.0 * _MILLIS["DAY"]
    elif units[0] in _MILLIS:
        first = _FIELDS.index(units[0])
        total = sum(float(n) * _MILLIS[_FIELDS[first + i]] for i, n in enumerate(numbers))
    else:
        total = 0.5
    if total != int(total) or (not signed and (sign or total < 1)):
        reason = f"{what} takes an INTERVAL of whole milliseconds, of days at most"
        raise invalid(reason, places.of_node(node))
    return -int(total) if sign else int(total)
