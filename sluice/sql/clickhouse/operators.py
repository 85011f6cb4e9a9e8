"""What ClickHouse's operators do, by the types of their operands."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from operator import add, mul, sub
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse import promotion, scalars
from sluice.sql.clickhouse.integers import cut_off, fitted, wide, within, wrapped
from sluice.sql.clickhouse.promotion import derived
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, ULONG, Value
from sluice.sql.core.spark import (
    ADD,
    ATOM,
    MULTIPLY,
    NEGATE,
    NOT,
    Sql,
    binary,
    chain,
    number,
    string,
)
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type, bare, is_nullable, spark_type
from sluice.types import model as m
from sluice.types.encoded import Encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

_RANKS = {"+": ADD, "-": ADD, "*": MULTIPLY, "%": MULTIPLY}

_NAMES = {"+": "plus", "-": "minus", "*": "multiply"}
_NO_NUMBERS = (m.String, m.FixedString, m.Uuid, m.Array, m.Map, Encoded)
_NO_OPERANDS = (*_NO_NUMBERS, m.Date, m.DateTime, m.Tuple)
_CONVERT = "Convert the text first, for instance with toInt64 or toFloat64."

Promotion = Callable[[Type, Type], Type | None]


def host_name() -> Sql:
    """The name of this machine: rows can say who has written them."""
    return string(socket.gethostname())


def illegal(*values: Value, function: str) -> errors.SluiceError:
    """An error about operands that a function does not take."""
    types = " and ".join(str(value.type) for value in values)
    reason = f"Illegal types {types} of arguments of function {function}"
    return errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=_CONVERT)


def calculate(operator: str, promote: Promotion, left: Value, right: Value) -> Value:
    """`left operator right`, of the type that ClickHouse promotes the two to."""
    kind = promote(left.kind, right.kind)
    type_ = derived(kind or UNKNOWN, (left, right))
    if kind is None and (left.is_a(*_NO_NUMBERS) or right.is_a(*_NO_NUMBERS)):
        raise illegal(left, right, function=_NAMES[operator])
    if kind is None:
        return Value(binary(operator, _RANKS[operator], left.number(), right.number()), type_)
    first, second = left.number(), right.number()
    if isinstance(kind, m.Int):
        return _whole(operator, left, right, kind, type_)
    if isinstance(kind, m.Decimal) and _digits(left) + _digits(right) >= _MOST_DIGITS:
        return Value(_exact(f"decimal{_NAMES[operator]}", left, right, kind), type_)
    if kind == DOUBLE and not (left.kind == DOUBLE or right.kind == DOUBLE):
        first = Sql("CAST(:0 AS DOUBLE)", first)
    return Value(binary(operator, _RANKS[operator], first, second), type_)


_MOST_DIGITS = 38
"""Of a DECIMAL: where the operands have as many, Spark's operators round what does not fit."""


def _digits(value: Value) -> int:
    """How many digits a number may have."""
    if isinstance(value.kind, m.Decimal):
        return value.kind.precision
    return len(str(max(map(abs, value.reach)))) if value.reach else 0


def _exact(function: str, left: Value, right: Value, kind: m.Decimal) -> Sql:
    """Decimals by a Java function, which has all digits of the result."""
    sides = (_decimal(side) for side in (left, right))
    return Sql(f"sluice_ch_{function}(:0, :1, {kind.scale})", *sides)


def _decimal(value: Value) -> Sql:
    """A number as DECIMAL."""
    whole = not value.is_a(m.Decimal)
    return Sql("CAST(:0 AS DECIMAL(20,0))", value.number()) if whole else value.sql


def _whole(operator: str, left: Value, right: Value, kind: m.Int, type_: Type) -> Value:
    """Integers: in BIGINT where that holds every result, else in DECIMAL and wrapped around.

    Two signed numbers of 64 bits stay in BIGINT too, by Java functions that wrap around.
    """
    bounds = _bounds(operator, left.reach, right.reach)
    fits = bounds is not None and within(bounds, LONG)
    if fits or (kind.signed and all(v.reach and within(v.reach, LONG) for v in (left, right))):
        if fits:
            sql = binary(operator, _RANKS[operator], wide(left), right.number())
        else:
            sql = Sql(f"sluice_ch_{_NAMES[operator]}(:0, :1)", wide(left), wide(right))
        return Value(sql, type_, bounds=bounds if fits else None)
    if bounds is None or max(map(abs, bounds)) >= 10**_MOST_DIGITS:
        sides = (cut_off(side.number(), side.kind, LONG) for side in (left, right))
        bits = Sql(f"sluice_ch_{_NAMES[operator]}(:0, :1)", *sides)
        return Value(cut_off(bits, LONG, kind), type_)
    first, second = left.number(), right.number()
    if left.literal is None:
        first = Sql("CAST(:0 AS DECIMAL(20,0))", first)
    else:
        second = Sql("CAST(:0 AS DECIMAL(20,0))", second)
    return Value(wrapped(binary(operator, _RANKS[operator], first, second), kind), type_)


def _bounds(
    operator: str, left: tuple[int, int] | None, right: tuple[int, int] | None
) -> tuple[int, int] | None:
    """The least and the greatest result."""
    if left is None or right is None:
        return None
    act = {"+": add, "-": sub, "*": mul}[operator]
    found = [act(one, other) for one in left for other in right]
    return min(found), max(found)


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
    sql = cut_off(Sql(seconds, left.sql, right.sql), LONG, m.Int(32))
    return Value(sql, derived(m.Int(32), (left, right)))


def _moved(moment: Value, by: Value, amount: Sql) -> Value:
    type_ = derived(moment.type, (moment, by))
    if moment.is_a(m.Date):
        return Value(Sql("date_add(:0, CAST(:1 AS INT))", moment.sql, amount), type_)
    text = "timestampadd(SECOND, CAST(:1 AS INT), :0)"
    if not (by.reach and within(by.reach, m.Int(32))):
        text = "timestamp_micros(unix_micros(:0) + CAST(:1 AS BIGINT) * 1000000)"
    return Value(Sql(text, moment.sql, amount), type_)


def multiply(left: Value, right: Value) -> Value:
    """A product."""
    return calculate("*", promotion.multiplied, left, right)


def divide(left: Value, right: Value) -> Value:
    """A Float64, by zero inf or nan; of a Decimal one with its scale, cut off."""
    kind = promotion.divided(left.kind, right.kind)
    if kind is None and (left.is_a(*_NO_NUMBERS) or right.is_a(*_NO_NUMBERS)):
        raise illegal(left, right, function="divide")
    type_ = derived(kind or DOUBLE, (left, right))
    if isinstance(kind, m.Decimal):
        quotient = _exact("decimaldivide", left, right, kind)
        return Value(Sql(f"CAST(:0 AS {spark_type(kind)})", quotient), type_)
    first, second = (Sql("CAST(:0 AS DOUBLE)", side.number()) for side in (left, right))
    if right.literal:
        return Value(binary("/", MULTIPLY, first, second), type_)
    text = "CASE WHEN :1 = 0 THEN :0 * double('Infinity') ELSE :0 / :1 END"
    return Value(Sql(text, first, second), type_)


def modulo(left: Value, right: Value) -> Value:
    """A remainder, with the sign of the left side; a Date counts days, a DateTime seconds."""
    kind = promotion.remainder(left.kind, right.kind)
    if kind is None and (left.is_a(*_NO_OPERANDS) or right.is_a(*_NO_OPERANDS)):
        raise illegal(left, right, function="modulo")
    type_ = derived(kind or UNKNOWN, (left, right))
    if kind == DOUBLE:
        return Value(Sql("sluice_ch_modulo(:0, :1)", *map(_double, (left, right))), type_)
    return Value(binary("%", MULTIPLY, _counted(left), right.number()), type_)


def positive_modulo(left: Value, right: Value) -> Value:
    """A remainder that is not negative, whatever the signs of the two sides."""
    found = modulo(left, right)
    kind = found.kind
    if isinstance(kind, m.Int) and not _is_moment(left):
        kind = m.Int(getattr(right.kind, "bits", 8), signed=False)
    text = "CASE WHEN :0 >= 0 THEN :0 WHEN :1 < 0 THEN :0 - :1 ELSE :0 + :1 END"
    return Value(Sql(text, found.sql, right.number()), derived(kind, (left, right)))


def _double(value: Value) -> Sql:
    return Sql("CAST(:0 AS DOUBLE)", value.number())


def _counted(value: Value) -> Sql:
    """A number; a Date as days since 1970, a DateTime as seconds."""
    if value.is_a(m.Date):
        return Sql("unix_date(:0)", value.sql)
    return Sql("unix_seconds(:0)", value.sql) if value.is_a(m.DateTime) else value.number()


def int_div(left: Value, right: Value) -> Value:
    """A whole quotient."""
    kind = promotion.int_divided(left.kind, right.kind)
    if kind is None and (left.is_a(*_NO_OPERANDS) or right.is_a(*_NO_OPERANDS)):
        raise illegal(left, right, function="intDiv")
    type_ = derived(kind or LONG, (left, right))
    if left.is_a(m.Float) or right.is_a(m.Float):
        return Value(Sql("CAST(:0 / :1 AS BIGINT)", left.number(), right.number()), type_)
    if not isinstance(kind, m.Int) or left.reach is None or right.reach is None:
        return Value(binary("DIV", MULTIPLY, left.number(), right.number()), type_)
    # If one side is signed both are, in as many bits as the larger one has.
    size = m.Int(max(_bits(left), _bits(right)))
    first, second = (fitted(side, size) if kind.signed else side.number() for side in (left, right))
    if left.kind != ULONG or kind.signed:
        return Value(binary("DIV", MULTIPLY, first, second), type_)
    text = "CAST((:0 - :0 % :1) / :1 AS DECIMAL(20,0))"  # DIV has room for 63 bits
    return Value(Sql(text, first, second), type_)


def _bits(value: Value) -> int:
    return value.kind.bits if isinstance(value.kind, m.Int) else BYTE.bits


def or_zero(build: Callable[[Value, Value], Value], left: Value, right: Value) -> Value:
    """A division that gives 0 where it is by 0; a remainder of floating point numbers is nan."""
    found = build(left, right)
    if found.is_a(m.Float):
        return found
    zero = Sql("if(:0 IS NULL, NULL, 0)", left.sql) if is_nullable(left.type) else number(0)
    return replace(found, sql=Sql("if(:0 = 0, :1, :2)", right.number(), zero, found.sql))


def negate(value: Value) -> Value:
    """The number with the other sign; the least number of a type has none and stays."""
    sql = Sql("-:0", value.number(), rank=NEGATE)
    if isinstance(value.literal, int | float):
        literal = -value.literal
        kind = promotion.smallest(literal) if isinstance(literal, int) else DOUBLE
        return Value(sql, kind, literal=literal)
    if value.is_a(*_NO_NUMBERS):
        raise illegal(value, function="negate")
    found = promotion.negated(value.kind)
    type_ = derived(found, (value,))
    if isinstance(found, m.Int) and value.reach is not None:
        low, high = (-end for end in reversed(value.reach))
        if value.kind == ULONG:
            sql = cut_off(Sql("-CAST(:0 AS DECIMAL(20,0))", value.number()), ULONG, found)
        elif not within((low, high), LONG):
            sql = Sql("sluice_ch_minus(0L, :0)", wide(value))
        else:
            sql = Sql("-:0", wide(value), rank=NEGATE)
            sql = sql if within((low, high), found) else cut_off(sql, LONG, found)
    return Value(sql, type_)


def absolute(value: Value) -> Value:
    """The number without its sign; unsigned, so that it holds that of the least number."""
    if value.is_a(*_NO_NUMBERS):
        raise illegal(value, function="abs")
    type_ = promotion.absolute(value.kind)
    if value.reach is None:
        return Value(Sql("abs(:0)", value.number()), type_)
    if value.reach[0] >= 0:
        return Value(value.number(), type_, bounds=value.bounds)
    large = type_ == ULONG and value.bounds is None
    number_ = Sql("CAST(:0 AS DECIMAL(20,0))", value.number()) if large else wide(value)
    return Value(Sql("abs(:0)", number_), type_)


def connected(operator: str, rank: int, operands: Sequence[Value]) -> Value:
    """`a AND b AND c`, `a OR b`, however long; with a Bool among them it is a Bool."""
    sql = chain(operator, rank, [operand.condition() for operand in operands])
    known = [operand for operand in operands if operand.type != promotion.NOTHING]
    bools = any(operand.is_a(m.Bool) for operand in known)
    type_ = derived(m.Bool() if bools else BYTE, known)
    type_ = type_ if len(known) == len(operands) else promotion.nullable(type_)
    return Value(sql, type_, logical=not bools)


def exclusive(operands: Sequence[Value]) -> Value:
    """Whether an odd number of the operands is true."""
    sql = operands[0].condition()
    for operand in operands[1:]:
        sql = Sql(":0 <> :1", sql, operand.condition())
    bools = any(operand.is_a(m.Bool) for operand in operands)
    return Value(sql, derived(m.Bool() if bools else BYTE, operands), logical=not bools)


def inverted(operand: Value) -> Value:
    """`NOT x`."""
    sql = Sql("NOT :0", operand.condition().atom(), rank=NOT)
    if operand.is_a(m.Bool):
        return Value(sql, operand.type)
    return Value(sql, derived(BYTE, (operand,)), logical=True)


def united(values: Sequence[Value], type_: Type) -> list[Sql]:
    """Values that are to be of one type, as something that Spark brings to one type too."""
    if isinstance(bare(type_), m.Bool):
        return [value.condition() for value in values]
    return [value.plain() if type_ == UNKNOWN else _unboxed(value) for value in values]


def chosen(tests: Sequence[Sql], values: Sequence[Value]) -> Value:
    """The value of the first test that is true, else the last one."""
    type_ = promotion.uncoded(common(values))
    *results, last = united(values, type_)
    if len(tests) == 1:
        return Value(Sql("if(:0, :1, :2)", tests[0], results[0], last), type_)
    pairs = [part for pair in zip(tests, results, strict=True) for part in pair]
    text = "".join(f" WHEN :{n} THEN :{n + 1}" for n in range(0, len(pairs), 2))
    return Value(Sql(f"CASE{text} ELSE :{len(pairs)} END", *pairs, last, rank=ATOM), type_)


def _unboxed(value: Value) -> Sql:
    return value.number() if value.is_a(m.Bool) else value.plain()


def tuple_of(items: Sequence[Value]) -> Value:
    """Several values together, with the names that unnamed elements of a Tuple have in Spark."""
    parts = [part for n, item in enumerate(items) for part in (string(str(n + 1)), item.plain())]
    type_ = m.Tuple(tuple(item.settled().type for item in items))
    return Value(Sql("named_struct(:*)", *parts), type_, parts=tuple(items))


def map_of(items: Sequence[Value]) -> Value:
    """A map that is written out: a key, its value, the next key, and so on."""
    type_ = m.Map(common(items[::2]), common(items[1::2])) if items else UNKNOWN
    return Value(Sql("map(:*)", *(item.plain() for item in items)), type_)


def array_of(items: Sequence[Value]) -> Value:
    """An array that is written out."""
    type_ = common(items) if items else m.Nothing()
    return Value(Sql("array(:*)", *united(items, type_)), m.Array(type_))


def common(values: Sequence[Value]) -> Type:
    """The type that holds the values of all, UNKNOWN if there is none or one is not known."""
    types = [value.type for value in values]
    if UNKNOWN in types:
        return UNKNOWN
    found = promotion.supertype(types) or UNKNOWN
    scalars.check_common(values, found)
    return found


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
