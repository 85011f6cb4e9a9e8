"""What ClickHouse's operators do, by the types of their operands."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from operator import add, mul, sub
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse import promotion
from sluice.sql.clickhouse.ordering import numbered, signed
from sluice.sql.clickhouse.promotion import derived
from sluice.sql.clickhouse.spark import ATOM, Sql, binary, chain, number, string
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, UNKNOWN, Value, instant
from sluice.types import Type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

OR, AND, NOT, COMPARE, CONCAT, SUM, PRODUCT, MINUS = 10, 20, 30, 40, 50, 60, 70, 80
"""How tight Spark's operators bind; `spark.ATOM` is the tightest."""

_RANKS = {"+": SUM, "-": SUM, "*": PRODUCT, "%": PRODUCT}
_MODULUS = 1 << 64

_NAMES = {"+": "plus", "-": "minus", "*": "multiply"}
_NO_NUMBERS = (m.String, m.FixedString, m.Uuid, m.Array, m.Map)
_CONVERT = "Convert the text first, for instance with toInt64 or toFloat64."

Promotion = Callable[[Type, Type], Type | None]


def version() -> Sql:
    """Sluice's own version."""
    return string(metadata.version("sluice"))


def calculate(operator: str, promote: Promotion, left: Value, right: Value) -> Value:
    """`left operator right`, of the type that ClickHouse promotes the two to."""
    kind = promote(left.kind, right.kind)
    type_ = derived(kind or UNKNOWN, (left, right))
    if kind is None and (left.is_a(*_NO_NUMBERS) or right.is_a(*_NO_NUMBERS)):
        types = f"{left.type} and {right.type}"
        reason = f"Illegal types {types} of arguments of function {_NAMES[operator]}"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=_CONVERT)
    if kind is None:
        return Value(binary(operator, _RANKS[operator], left.number(), right.number()), type_)
    first, second = left.number(), right.number()
    if isinstance(kind, m.Int):
        return _whole(operator, left, right, kind, type_)
    if kind == DOUBLE and not (left.kind == DOUBLE or right.kind == DOUBLE):
        first = Sql("CAST(:0 AS DOUBLE)", first)
    return Value(binary(operator, _RANKS[operator], first, second), type_)


def _whole(operator: str, left: Value, right: Value, kind: m.Int, type_: Type) -> Value:
    """Whole numbers: in BIGINT where that holds every result, else in DECIMAL and wrapped around.

    Two signed numbers of 64 bits stay in BIGINT too, by functions of ours that wrap around.
    """
    bounds = _bounds(operator, left.reach, right.reach)
    fits = bounds is not None and within(bounds, LONG)
    if fits or (kind.signed and all(v.reach and within(v.reach, LONG) for v in (left, right))):
        if fits:
            sql = binary(operator, _RANKS[operator], _wide(left), right.number())
        else:
            sql = Sql(f"sluice_ch_{_NAMES[operator]}(:0, :1)", _wide(left), _wide(right))
        return Value(sql, type_, bounds=bounds if fits else None)
    first, second = left.number(), right.number()
    if left.literal is None:
        first = Sql("CAST(:0 AS DECIMAL(20,0))", first)
    else:
        second = Sql("CAST(:0 AS DECIMAL(20,0))", second)
    return Value(wrapped(binary(operator, _RANKS[operator], first, second), kind), type_)


def within(bounds: tuple[int, int], kind: m.Int) -> bool:
    """Whether a type holds every value between two."""
    return kind.low <= bounds[0] and bounds[1] <= kind.high


def _bounds(
    operator: str, left: tuple[int, int] | None, right: tuple[int, int] | None
) -> tuple[int, int] | None:
    """The least and the greatest result."""
    if left is None or right is None:
        return None
    act = {"+": add, "-": sub, "*": mul}[operator]
    found = [act(one, other) for one in left for other in right]
    return min(found), max(found)


def wrapped(number_: Sql, kind: m.Int) -> Sql:
    """A DECIMAL as a whole number of 64 bits, of which the higher ones are cut off."""
    if not kind.signed:
        return Sql(f"pmod(:0, {_MODULUS})", number_)
    half = _MODULUS // 2
    return Sql(f"CAST(pmod(:0 + {half}, {_MODULUS}) - {half} AS BIGINT)", number_)


def _wide(value: Value) -> Sql:
    """A whole number as BIGINT, unless it has that size already."""
    there = value.bounds is not None or value.kind == LONG
    return value.number() if there else Sql("CAST(:0 AS BIGINT)", value.number())


def _is_moment(value: Value) -> bool:
    return value.is_a(m.Date, m.DateTime)


def plus(left: Value, right: Value) -> Value:
    """A number added to a Date counts days, to a DateTime seconds."""
    if _is_moment(right) and not _is_moment(left):
        left, right = right, left
    if _is_moment(left) and right.is_a(m.Int):
        return _moved(left, right, right.number())
    return calculate("+", promotion.added, left, right)


def minus(left: Value, right: Value) -> Value:
    """The difference of two Dates is in days, of two DateTimes in seconds."""
    if _is_moment(left) and right.is_a(m.Int):
        return _moved(left, right, Sql("-:0", right.number()))
    if left.is_a(m.Date) and right.is_a(m.Date):
        type_ = derived(m.Int(32), (left, right))
        return Value(Sql("datediff(:0, :1)", left.sql, right.sql), type_)
    if _is_moment(left) and _is_moment(right):
        return _seconds_between(left, right)
    return calculate("-", promotion.subtracted, left, right)


def _seconds_between(left: Value, right: Value) -> Value:
    digits = max(getattr(side.kind, "precision", None) or 0 for side in (left, right))
    if digits:
        text = "CAST((unix_micros(CAST(:0 AS TIMESTAMP)) - unix_micros(CAST(:1 AS TIMESTAMP)))"
        sql = Sql(f"{text} / 1000000 AS DECIMAL(18,{digits}))", left.sql, right.sql)
        return Value(sql, derived(m.Decimal(18, digits), (left, right)))
    seconds = "unix_seconds(CAST(:0 AS TIMESTAMP)) - unix_seconds(CAST(:1 AS TIMESTAMP))"
    return Value(Sql(seconds, left.sql, right.sql), derived(m.Int(32), (left, right)))


def _moved(moment: Value, by: Value, amount: Sql) -> Value:
    type_ = derived(moment.type, (moment, by))
    if moment.is_a(m.Date):
        return Value(Sql("date_add(:0, CAST(:1 AS INT))", moment.sql, amount), type_)
    text = "timestampadd(SECOND, CAST(:1 AS INT), :0)"
    return Value(Sql(text, moment.sql, amount), type_)


def multiply(left: Value, right: Value) -> Value:
    """A product."""
    return calculate("*", promotion.multiplied, left, right)


def divide(left: Value, right: Value) -> Value:
    """A Float64, by zero inf or nan; of a Decimal one with its scale, cut off."""
    kind = promotion.divided(left.kind, right.kind) or DOUBLE
    type_ = derived(kind, (left, right))
    if isinstance(kind, m.Decimal):
        quotient = Sql(":0 / :1", left.number(), right.number())
        text = f"if(:0 < 0, ceil(:0, {kind.scale}), floor(:0, {kind.scale}))"
        return Value(
            Sql(f"CAST({text} AS DECIMAL({kind.precision},{kind.scale}))", quotient), type_
        )
    first, second = (Sql("CAST(:0 AS DOUBLE)", side.number()) for side in (left, right))
    if right.literal:
        return Value(binary("/", PRODUCT, first, second), type_)
    text = "CASE WHEN :1 = 0 THEN :0 * double('Infinity') ELSE :0 / :1 END"
    return Value(Sql(text, first, second), type_)


def modulo(left: Value, right: Value) -> Value:
    """A remainder, with the sign of the left side."""
    kind = promotion.remainder(left.kind, right.kind)
    sql = binary("%", PRODUCT, left.number(), right.number())
    return Value(sql, derived(kind, (left, right)) if kind else UNKNOWN)


def int_div(left: Value, right: Value) -> Value:
    """A whole quotient."""
    type_ = derived(promotion.int_divided(left.kind, right.kind) or LONG, (left, right))
    if left.is_a(m.Float) or right.is_a(m.Float):
        return Value(Sql("CAST(:0 / :1 AS BIGINT)", left.number(), right.number()), type_)
    return Value(binary("DIV", PRODUCT, left.number(), right.number()), type_)


def negate(value: Value) -> Value:
    """The number with the other sign."""
    sql = Sql("-:0", value.number(), rank=MINUS)
    if isinstance(value.literal, int | float):
        literal = -value.literal
        kind = promotion.smallest(literal) if isinstance(literal, int) else DOUBLE
        return Value(sql, kind, literal=literal)
    return Value(sql, derived(promotion.negated(value.kind), (value,)))


_ORDERS = {"<", "<=", ">", ">="}
_NUMBERS = (m.Int, m.Float, m.Decimal)


def comparison(operator: str) -> Callable[[Value, Value], Value]:
    """A comparison, with what ClickHouse compares and Spark does not brought to one type."""

    def compare(left: Value, right: Value) -> Value:
        type_ = BYTE if operator == "<=>" else derived(BYTE, (left, right))
        first, second = sides(operator, left, right)
        if _numbered(operator, left, right) and _is_unknown_name(left, right):
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


def sides(operator: str, left: Value, right: Value) -> tuple[Sql, Sql]:
    """Two values as something that Spark can compare; Enums by their numbers where it matters."""
    if _numbered(operator, left, right):
        if _is_unknown_name(left, right):
            return left.sql, right.sql
        left, right = _enum_number(left, right), _enum_number(right, left)
    return _comparable(left, right), _comparable(right, left)


def _numbered(operator: str, left: Value, right: Value) -> bool:
    """Whether Enums are compared by their numbers."""
    return operator in _ORDERS or left.is_a(*_NUMBERS) or right.is_a(*_NUMBERS)


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


def connected(operator: str, rank: int, operands: Sequence[Value]) -> Value:
    """`a AND b AND c`, `a OR b`, however long; of Bools it is a Bool."""
    sql = chain(operator, rank, [operand.condition() for operand in operands])
    if all(operand.is_a(m.Bool) for operand in operands):
        return Value(sql, derived(m.Bool(), operands))
    return Value(sql, derived(BYTE, operands), logical=True)


def inverted(operand: Value) -> Value:
    """`NOT x`."""
    sql = Sql("NOT :0", operand.condition().atom(), rank=NOT)
    if operand.is_a(m.Bool):
        return Value(sql, operand.type)
    return Value(sql, derived(BYTE, (operand,)), logical=True)


def tuple_of(items: Sequence[Value]) -> Value:
    """Several values together, with the names that unnamed elements of a Tuple have in Spark."""
    parts = [part for n, item in enumerate(items) for part in (string(str(n + 1)), item.plain())]
    type_ = m.Tuple(tuple(item.settled().type for item in items))
    return Value(Sql("named_struct(:*)", *parts), type_)


def map_of(items: Sequence[Value]) -> Value:
    """A map that is written out: a key, its value, the next key, and so on."""
    type_ = m.Map(common(items[::2]), common(items[1::2])) if items else UNKNOWN
    return Value(Sql("map(:*)", *(item.plain() for item in items)), type_)


def array_of(items: Sequence[Value]) -> Value:
    """An array that is written out."""
    type_ = common(items) if items else m.Nothing()
    return Value(Sql("array(:*)", *(item.plain() for item in items)), m.Array(type_))


def common(values: Sequence[Value]) -> Type:
    """The type that holds the values of all, UNKNOWN if there is none or one is not known."""
    types = [value.type for value in values]
    if UNKNOWN in types:
        return UNKNOWN
    return promotion.supertype(types) or UNKNOWN


def null() -> Value:
    """NULL, written out."""
    return Value(Sql("NULL", rank=ATOM), promotion.NOTHING)


NOT_FINITE = {
    word: Value(Sql(f"double('{spark}')", rank=ATOM), DOUBLE)
    for word, spark in (("nan", "NaN"), ("inf", "Infinity"), ("infinity", "Infinity"))
}
"""Numbers that are written as words; a column of that name has to be quoted or qualified."""


def literal_of(value: str | int | float) -> Value:
    """A constant."""
    if isinstance(value, str):
        return Value(string(value), m.String(), literal=value)
    if isinstance(value, float):
        return Value(number(repr(value)), DOUBLE, literal=value)
    kind = promotion.smallest(value)
    return Value(number(value), kind, literal=value) if kind != DOUBLE else literal_of(float(value))
