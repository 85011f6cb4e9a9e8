"""Comparisons: Enums by their numbers, tuples by their elements, nan equal to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse import promotion, scalars
from sluice.sql.clickhouse.ordering import numbered, signed, sort_key
from sluice.sql.clickhouse.promotion import derived
from sluice.sql.clickhouse.values import BYTE, Value, fields, instant
from sluice.sql.core.spark import AND, ATOM, COMPARE, OR, Sql, binary, chain
from sluice.types import is_nullable
from sluice.types import model as m
from sluice.types.encoded import is_encoded

if TYPE_CHECKING:
    from collections.abc import Callable

_ORDERS = {"<", "<=", ">", ">="}
_NUMBERS = (m.Int, m.Float, m.Decimal)


def comparison(operator: str) -> Callable[[Value, Value], Value]:
    """A comparison, with what ClickHouse compares and Spark does not brought to one type."""

    def compare(left: Value, right: Value) -> Value:
        ones, others = elements(left), elements(right)
        if ones and len(ones) == len(others):
            return _elementwise(operator, list(zip(ones, others, strict=True)))
        type_ = BYTE if operator == "<=>" else derived(BYTE, (left, right))
        unknown = _is_unknown_name(left, right)
        if unknown and operator == "<>":
            raise _unknown(left if left.literal is not None else right)
        first, second = sides(operator, left, right)
        if unknown and _numbered(operator, left, right):
            never = Sql("if(:0 IS NULL OR :1 IS NULL, NULL, false)", first, second)
            return Value(never, type_, logical=True)
        sql = binary(operator, COMPARE, first, second)
        odd = {">": left, ">=": left, "=": left, "<>": left, "<": right, "<=": right}.get(operator)
        if odd is not None and odd.is_a(m.Float) and odd.literal is None:
            # Spark has nan equal to itself and above every number, ClickHouse neither.
            text = ":0 OR isnan(:1)" if operator == "<>" else ":0 AND NOT isnan(:1)"
            sql = Sql(f"({text})", sql.atom(), odd.sql, rank=ATOM)
        return Value(sql, type_, logical=True)

    return compare


def elements(value: Value) -> tuple[Value, ...]:
    """The elements of a tuple; nothing for any other value."""
    kind = value.kind
    if value.parts or not isinstance(kind, m.Tuple):
        return value.parts
    return fields(value.sql, kind)


def _elementwise(operator: str, pairs: list[tuple[Value, Value]]) -> Value:
    """Tuples: all elements are equal, or the first pair that is not decides about the order."""
    strict = operator.removesuffix("=") if operator in _ORDERS else operator
    found = [comparison(strict)(*pair) for pair in pairs]
    if operator in _ORDERS:
        found[-1] = comparison(operator)(*pairs[-1])
        sql = found[-1].sql
        for n in reversed(range(len(pairs) - 1)):
            equal = chain("AND", AND, [comparison("=")(*pairs[n]).sql, sql])
            sql = chain("OR", OR, [found[n].sql, equal])
    elif operator == "<>":
        sql = chain("OR", OR, [each.sql for each in found])
    else:
        sql = chain("AND", AND, [each.sql for each in found])
    return Value(sql, derived(BYTE, found), logical=True)


def sides(operator: str, left: Value, right: Value) -> tuple[Sql, Sql]:
    """Two values as something that Spark can compare; Enums by their numbers where it matters."""
    if is_encoded(left.type) or is_encoded(right.type):
        return scalars.sides(left, right)
    if _numbered(operator, left, right):
        if _is_unknown_name(left, right):
            return left.sql, right.sql
        left, right = _enum_number(left, right), _enum_number(right, left)
    if operator in _ORDERS and left.is_a(m.Array) and right.is_a(m.Array):
        return _array_key(left, right), _array_key(right, left)
    return _comparable(left, right), _comparable(right, left)


def _array_key(array: Value, other: Value) -> Sql:
    """What an array is compared by; Enums in it by their numbers, so both must have the same."""
    key = sort_key(array.sql, array.type)
    if key is not None and array.kind != other.kind:
        reason = f"Arrays of {array.type} and {other.type} have no order"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="CAST both to one type.")
    return key or array.plain()


def check_member(left: Value, item: Value) -> None:
    """Refuse a name that a Nullable Enum does not have in `left IN (…)`; others have it nowhere."""
    if is_nullable(left.type) and _unknown_name(item, left):
        raise _unknown(item)


def check_name(left: Value, item: Value) -> None:
    """Refuse a name that an Enum does not have."""
    if _unknown_name(item, left):
        raise _unknown(item)


def _unknown(name_: Value) -> errors.SluiceError:
    return errors.UNKNOWN_ELEMENT_OF_ENUM(value=f"'{name_.literal}'")


def _numbered(operator: str, left: Value, right: Value) -> bool:
    """Whether Enums are compared by their numbers: not with a text, unless it is one's name."""
    sides_ = (left, right)
    enums = [side.kind for side in sides_ if side.is_a(m.Enum)]
    texts = any(side.is_a(m.String, m.FixedString) and side.literal is None for side in sides_)
    if not enums or texts:
        return False
    numbers = any(side.is_a(*_NUMBERS) for side in sides_)
    return operator in _ORDERS or numbers or len(set(enums)) > 1


def _is_unknown_name(left: Value, right: Value) -> bool:
    return _unknown_name(left, right) or _unknown_name(right, left)


def _enum_number(value: Value, other: Value) -> Value:
    """An Enum, or the name of a value of the other side's Enum, as its number."""
    if not (isinstance(other.kind, m.Enum) and isinstance(value.literal, str)):
        return numbered(value)
    found = dict(other.kind.values)[value.literal]
    return Value(signed(found), promotion.smallest(found), literal=found)


def _unknown_name(value: Value, other: Value) -> bool:
    """Whether a text is compared with an Enum that has no such name."""
    if not (isinstance(other.kind, m.Enum) and isinstance(value.literal, str)):
        return False
    return value.literal not in dict(other.kind.values)


def _comparable(value: Value, other: Value) -> Sql:
    """`value` as something that Spark can compare with `other`."""
    if other.zone and isinstance(value.literal, str):
        return instant(Sql("CAST(:0 AS TIMESTAMP)", value.sql), other.zone)
    if other.is_a(m.DateTime) and value.is_a(m.Int):
        return Sql("timestamp_seconds(:0)", value.number())
    if value.is_a(m.Bool) and not other.is_a(m.Bool, m.String):
        return value.number()
    if value.is_a(m.Bool) and other.logical:
        return value.number()
    return value.plain()


COMPARISONS: dict[str, Callable[[Value, Value], Value]] = {
    "equals": comparison("="),
    "notEquals": comparison("<>"),
    "less": comparison("<"),
    "lessOrEquals": comparison("<="),
    "greater": comparison(">"),
    "greaterOrEquals": comparison(">="),
}
