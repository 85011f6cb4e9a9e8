"""What ClickHouse's operators do, by the types of their operands."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from sluice.sql.clickhouse.spark import Sql, binary, number, string
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, UNKNOWN, Value, instant
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.types import Type

OR, AND, NOT, COMPARE, CONCAT, SUM, PRODUCT, MINUS = 10, 20, 30, 40, 50, 60, 70, 80
"""How tight Spark's operators bind; `spark.ATOM` is the tightest."""


_HUGE = m.Int(64, signed=False)


def version() -> Sql:
    """Sluice's own version."""
    return string(metadata.version("sluice"))


def arithmetic(left: Value, right: Value) -> Type:
    """The type of a sum or a product: whole numbers get 64 bits, so that they do not overflow."""
    kinds = (left.kind, right.kind)
    if any(isinstance(kind, m.Float) for kind in kinds):
        return DOUBLE
    if any(kind == _HUGE for kind in kinds) and all(isinstance(kind, m.Int) for kind in kinds):
        return _HUGE
    if all(isinstance(kind, m.Int | m.Bool) for kind in kinds):
        return LONG
    return UNKNOWN


def _wide(value: Value) -> Sql:
    """A whole number as BIGINT, unless it has that size or more already."""
    kind = value.kind
    small = isinstance(kind, m.Bool) or (isinstance(kind, m.Int) and kind.bits < 64)
    return Sql("CAST(:0 AS BIGINT)", value.number()) if small else value.number()


def _calculate(operator: str, rank: int, left: Value, right: Value) -> Value:
    type_ = arithmetic(left, right)
    first = _wide(left) if type_ == LONG else left.number()
    return Value(binary(operator, rank, first, right.number()), type_)


def _is_moment(value: Value) -> bool:
    return value.is_a(m.Date, m.DateTime)


def plus(left: Value, right: Value) -> Value:
    """A number added to a Date counts days, to a DateTime seconds."""
    if _is_moment(right) and not _is_moment(left):
        left, right = right, left
    if _is_moment(left) and right.is_a(m.Int):
        return _moved(left, right.number())
    return _calculate("+", SUM, left, right)


def minus(left: Value, right: Value) -> Value:
    """The difference of two Dates is in days, of two DateTimes in seconds."""
    if _is_moment(left) and right.is_a(m.Int):
        return _moved(left, Sql("-:0", right.number()))
    if left.is_a(m.Date) and right.is_a(m.Date):
        return Value(Sql("datediff(:0, :1)", left.sql, right.sql), LONG)
    if _is_moment(left) and _is_moment(right):
        seconds = "unix_seconds(CAST(:0 AS TIMESTAMP)) - unix_seconds(CAST(:1 AS TIMESTAMP))"
        return Value(Sql(seconds, left.sql, right.sql), LONG)
    return _calculate("-", SUM, left, right)


def _moved(moment: Value, amount: Sql) -> Value:
    if moment.is_a(m.Date):
        return Value(Sql("date_add(:0, CAST(:1 AS INT))", moment.sql, amount), moment.type)
    text = "timestampadd(SECOND, CAST(:1 AS INT), :0)"
    return Value(Sql(text, moment.sql, amount), moment.type)


def multiply(left: Value, right: Value) -> Value:
    """A product."""
    return _calculate("*", PRODUCT, left, right)


def divide(left: Value, right: Value) -> Value:
    """A Float64 always; by zero it is inf or nan."""
    first, second = (Sql("CAST(:0 AS DOUBLE)", side.number()) for side in (left, right))
    if right.literal:
        return Value(binary("/", PRODUCT, first, second), DOUBLE)
    text = "CASE WHEN :1 = 0 THEN :0 * double('Infinity') ELSE :0 / :1 END"
    return Value(Sql(text, first, second), DOUBLE)


def modulo(left: Value, right: Value) -> Value:
    """A remainder, with the sign of the left side."""
    return Value(binary("%", PRODUCT, left.number(), right.number()), arithmetic(left, right))


def int_div(left: Value, right: Value) -> Value:
    """A whole quotient."""
    if left.is_a(m.Float) or right.is_a(m.Float):
        return Value(Sql("CAST(:0 / :1 AS BIGINT)", left.number(), right.number()), LONG)
    return Value(binary("DIV", PRODUCT, left.number(), right.number()), LONG)


def negate(value: Value) -> Value:
    """The number with the other sign."""
    literal = -value.literal if isinstance(value.literal, int | float) else None
    return Value(Sql("-:0", value.number(), rank=MINUS), value.type, literal=literal)


def comparison(operator: str) -> Callable[[Value, Value], Value]:
    """A comparison, with what ClickHouse compares and Spark does not brought to one type."""

    def compare(left: Value, right: Value) -> Value:
        first, second = _comparable(left, right), _comparable(right, left)
        return Value(binary(operator, COMPARE, first, second), BYTE, logical=True)

    return compare


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


def tuple_of(items: Sequence[Value]) -> Value:
    """Several values together, with the names that unnamed elements of a Tuple have in Spark."""
    parts = [part for n, item in enumerate(items) for part in (string(str(n + 1)), item.plain())]
    type_ = m.Tuple(tuple(item.settled().type for item in items))
    return Value(Sql("named_struct(:*)", *parts), type_)


def array_of(items: Sequence[Value]) -> Value:
    """An array that is written out."""
    type_ = items[0].settled().type if items else UNKNOWN
    return Value(Sql("array(:*)", *(item.plain() for item in items)), m.Array(type_))


def literal_of(value: str | int | float) -> Value:
    """A constant."""
    if isinstance(value, str):
        return Value(string(value), m.String(), literal=value)
    if isinstance(value, float):
        return Value(number(repr(value)), DOUBLE, literal=value)
    return Value(number(value), _smallest(value), literal=value)


def _smallest(value: int) -> Type:
    return m.Int(32) if value < 1 << 31 else m.Int(64, signed=value < 1 << 63)
