"""Which types an operator takes: Flink converts nothing on its own between texts and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.core.values import UNKNOWN
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import Place
    from sluice.sql.flink.values import Value
    from sluice.types import Type

NUMBER, TEXT, MOMENT = "number", "text", "moment"

_FAMILIES: dict[type[Type], str] = {
    m.Int: NUMBER, m.Float: NUMBER, m.Decimal: NUMBER,
    m.String: TEXT, m.Text: TEXT, m.FixedString: TEXT, m.Enum: TEXT, m.Uuid: TEXT,
    m.Date: MOMENT, m.LocalDateTime: MOMENT, m.DateTime: MOMENT, m.TimeOfDay: MOMENT,
    m.Bool: "boolean", m.Bytes: "bytes", m.Interval: "interval",
    m.Array: "array", m.Map: "map", m.Multiset: "multiset", m.Tuple: "row",
}  # fmt: skip
"""Types whose values can be compared with each other; what is in no family is not known yet."""

_READ = frozenset({TEXT, MOMENT})
"""A text is read as a moment where it is compared with one, as in Flink."""


def check_compared(operator: str, left: Value, right: Value, place: Place | None = None) -> None:
    """Refuse a comparison of values that have no order in common.

    Raises:
        SluiceError: INVALID_OPERANDS.
    """
    families = _families(left, right)
    if len(families) > 1 and families != _READ:
        raise invalid_operands(operator, left, right).at(place)


def check_calculated(operator: str, left: Value, right: Value) -> None:
    """Refuse arithmetic with anything but numbers.

    Raises:
        SluiceError: INVALID_OPERANDS.
    """
    families = _families(left, right)
    scaled = operator in ("*", "/") and families == {NUMBER, "interval"}
    if families - {NUMBER} and not scaled:
        raise invalid_operands(operator, left, right)


def check_mixed(values: Sequence[Value], what: str) -> None:
    """Refuse values of different families where one of them is chosen.

    Raises:
        SluiceError: MIXED_TYPES.
    """
    if len(_families(*values)) > 1:
        types = ", ".join(dict.fromkeys(f"<{summary(value.kind)}>" for value in values))
        raise errors.MIXED_TYPES(what=what, types=types)


def _families(*values: Value) -> frozenset[str]:
    found = (_FAMILIES.get(type(value.kind)) for value in values)
    return frozenset(family for family in found if family is not None)


def invalid_operands(operator: str, left: Value, right: Value) -> errors.SluiceError:
    """The error for types that an operator does not take."""
    types = ["?" if side.kind == UNKNOWN else summary(side.kind) for side in (left, right)]
    shown = f"<{types[0]}> {operator} <{types[1]}>"
    return errors.INVALID_OPERANDS(operator=operator, types=shown)
