"""Values of the types in `types.encoded` in Spark SQL: casts, comparisons, and what is refused.

Spark sees BIGINT and BINARY, for which nearly everything would compute something. So a function is
refused such values unless it is listed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.sql.clickhouse.exact import checked, cut, type_sql
from sluice.sql.clickhouse.values import Value
from sluice.sql.core.spark import Sql, raised, shown, string
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type, bare
from sluice.types import encoded as e
from sluice.types import model as m
from sluice.types.encoded import Encoded, is_encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sluice.errors import Place

    Cast = Callable[[Value, Any], Value]

_CAST = "CAST the values to types that Spark has, or run the query without Spark."

_PASSED = frozenset({
    "CAST", "toTypeName", "materialize", "identity", "toNullable", "assumeNotNull", "isNull",
    "isNotNull", "ifNull", "coalesce", "nullIf", "if", "multiIf", "array", "tuple", "map",
    "arrayElement", "tupleElement", "mapKeys", "mapValues", "arrayJoin", "arrayMap", "arrayFilter",
    "arrayExists", "arrayAll", "arrayCount", "arrayConcat", "arrayDistinct", "arrayReverse",
    "equals", "notEquals", "less", "lessOrEquals", "greater", "greaterOrEquals",
    "count", "min", "max", "any", "anyLast", "argMin", "argMax", "first_value", "last_value",
    "uniq", "uniqExact", "uniqCombined", "uniqCombined64", "uniqHLL12", "uniqTheta", "groupArray",
    "groupUniqArray", "lagInFrame", "leadInFrame", "row_number", "rank", "dense_rank",
})  # fmt: skip
"""Functions that pass values on, compare or count them, in arrays and tuples too."""

_COUNTED = frozenset({"length", "empty", "notEmpty", "toString", "concat"})
"""Functions that take arrays, maps and tuples with such values inside."""

_OF_VALUES: dict[str, tuple[type[Type], ...]] = {
    "toString": e.TYPES,
    "concat": e.TYPES,
    **dict.fromkeys(("toDate", "toDateTime", "toDateTime64"), (e.FineDateTime,)),
    "toUnixTimestamp64Nano": (e.FineDateTime,),
    **dict.fromkeys(("toIPv4", "toIPv6"), (e.IPv4, e.IPv6)),
    "toUInt32": (e.IPv4, e.WideInt, e.WideDecimal),
    **dict.fromkeys(("IPv4NumToString", "IPv4ToIPv6"), (e.IPv4,)),
    "IPv6NumToString": (e.IPv6,),
    **dict.fromkeys(
        (
            f"to{sign}Int{bits}"
            for sign in ("", "U")
            for bits in (8, 16, 32, 64, 128, 256)
            if (sign, bits) != ("U", 32)
        ),
        (e.WideInt, e.WideDecimal),
    ),
    **dict.fromkeys(
        ("toDecimal32", "toDecimal64", "toDecimal128", "toDecimal256"), (e.WideInt, e.WideDecimal)
    ),
    **dict.fromkeys(("toTime", "toTime64"), (e.Time,)),
}
"""Other functions of one such value, and the types that they take."""


def check(function: str, args: Iterable[Value], place: Place | None) -> None:
    """Refuse a function that would take what is stored for something else.

    Raises:
        SluiceError: ILLEGAL_TYPE_OF_ARGUMENT.
    """
    for arg in args:
        if function in _PASSED or not is_encoded(arg.type):
            continue
        if arg.is_a(Encoded):
            allowed = arg.is_a(*_OF_VALUES.get(function, ()))
        else:
            allowed = function in _COUNTED
        if not allowed:
            reason = f"Function {function} of {arg.type} is not supported on Spark"
            raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=_CAST, place=place)


def check_common(values: Iterable[Value], type_: Type) -> None:
    """Refuse values of different types as those of one column.

    Raises:
        SluiceError: NO_COMMON_TYPE.
    """
    given = [value.type for value in values]
    if type_ == UNKNOWN and any(map(is_encoded, given)):
        raise errors.NO_COMMON_TYPE(what=", ".join(map(str, given)))


def check_same(left: Type, right: Type) -> None:
    """Refuse that Spark compares what is stored of two types.

    Raises:
        SluiceError: ILLEGAL_TYPE_OF_ARGUMENT.
    """
    if bare(left) != bare(right) and (is_encoded(left) or is_encoded(right)):
        reason = f"{left} and {right} are not compared on Spark"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="CAST both to one type.")


def marked(value: Value) -> Sql:
    """A column of a result; Spark is told its type, which what is stored does not tell."""
    if not is_encoded(value.type):
        return value.plain()
    return Sql("sluice_typed(:0, :1)", value.plain(), string(str(value.type)))


def cast(value: Value, type_: Type) -> Value:
    """A value cast to a type, where one of the two is encoded or has such a type inside.

    Raises:
        SluiceError: ILLEGAL_TYPE_OF_ARGUMENT.
    """
    if value.kind == type_:
        return Value(value.sql, type_)
    if isinstance(value.kind, m.Nothing):
        return Value(Sql("CAST(:0 AS :1)", value.sql, type_sql(type_)), type_)
    for one, other, make in _CASTS:
        if isinstance(value.kind, one) and isinstance(type_, other):
            return make(value, type_)
    reason = f"Conversion from {value.type} to {type_} is not supported on Spark"
    raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=_CAST)


def text(value: Value) -> Sql:
    """The text of a value."""
    kind = value.kind
    assert isinstance(kind, Encoded)  # noqa: S101 - the caller has looked
    return _text(value.sql, kind)


def _text(stored: Sql, kind: Encoded) -> Sql:
    call = f"sluice_ch_textof{'bytes' if kind.length else 'long'}(:0, :1)"
    return Sql(call, stored, string(str(kind)))


def of_text(text: Sql, type_: Encoded, *, tried: bool = False) -> Value:
    """What is stored for a text; a wrong one is an error, or NULL if it is only `tried`."""
    call = f"sluice_ch_encoded{'bytes' if type_.length else 'long'}(:0, :1)"
    found = Sql(call, text, string(str(type_)))
    return Value(found, type_) if tried else _or_raise(found, text, type_)


def _or_raise(found: Sql, text: Sql, type_: Encoded) -> Value:
    wrong = raised("CANNOT_PARSE_TEXT", value=shown(text), type=string(str(type_)))
    sql = Sql("CASE WHEN :0 IS NOT NULL THEN coalesce(:1, :2) END", text, found, wrong)
    return Value(sql, type_)


def _through_text(value: Value, type_: Encoded) -> Value:
    return of_text(text(value), type_)


def _other_digits(value: Value, type_: e.FineDateTime) -> Value:
    """A DateTime64 with more digits, or without the last ones, as in ClickHouse towards 1970."""
    kind = value.kind
    assert isinstance(kind, e.FineDateTime)  # noqa: S101 - the table says so
    more = type_.precision - kind.precision
    text = f":0 * {10**more}L" if more > 0 else f":0 DIV {10**-more}L" if more else ":0"
    return Value(Sql(text, value.sql), type_)


def in_microseconds(value: Value, *, down: bool = True) -> Value:
    """A DateTime64 of more than six digits without the last ones: `down`, or towards 1970."""
    kind = value.kind
    assert isinstance(kind, e.FineDateTime)  # noqa: S101 - the caller has looked
    unit = 10 ** (kind.precision - 6)
    whole = f"(:0 - pmod(:0, {unit}))" if down else ":0"
    return Value(Sql(f"timestamp_micros({whole} DIV {unit}L)", value.sql), m.DateTime(6, kind.zone))


def shortened(value: Value) -> Value:
    """A DateTime64 of more than six digits with six of them; any other value as it is."""
    return in_microseconds(value) if value.is_a(e.FineDateTime) else value


OF_MOMENTS = frozenset({
    "toYear", "toQuarter", "toMonth", "toDayOfYear", "toDayOfMonth", "toDayOfWeek", "toHour",
    "toMinute", "toSecond", "toUnixTimestamp", "toStartOfYear", "toStartOfQuarter",
    "toStartOfMonth", "toStartOfWeek", "toStartOfDay", "toStartOfHour", "toStartOfMinute",
    "toStartOfFiveMinutes", "toStartOfTenMinutes", "toStartOfFifteenMinutes", "toMonday",
    "toYYYYMM", "toYYYYMMDD", "toYYYYMMDDhhmmss", "toISOYear", "toISOWeek",
})  # fmt: skip
"""Functions of a moment that digits after the sixth make no difference to."""


def of_microseconds(value: Value, type_: e.FineDateTime) -> Value:
    """A DateTime with more than six digits."""
    return Value(Sql(f"unix_micros(:0) * {10 ** (type_.precision - 6)}L", value.sql), type_)


def _address(value: Value, type_: e.IPv4) -> Value:
    """The address with a number; a larger one is an error."""
    wrong = raised(
        "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE", reason=string(f"Value out of range of {type_}")
    )
    number = Sql("CAST(:0 AS BIGINT)", value.number())
    sql = Sql("if(:0 IS NULL OR :0 BETWEEN 0 AND 4294967295, :0, :1)", number, wrong)
    return Value(sql, type_)


def _number_of_address(value: Value, type_: m.Int) -> Value:
    if type_ != m.Int(32, signed=False):
        reason = f"Conversion from IPv4 to {type_} is not supported"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="Use toUInt32.")
    return Value(value.sql, type_)


def _whole_text(value: Value, type_: e.WideInt) -> Value:
    """A number of any type by its digits before the point."""
    whole = "if(:0 < 0, ceil(:0), floor(:0))" if value.is_a(m.Decimal) else ":0"
    return of_text(Sql(f"CAST({whole} AS STRING)", value.number()), type_)


def _seconds(value: Value, type_: e.FineDateTime) -> Value:
    text = Sql("CAST(:0 AS STRING)", value.number())
    found = Sql("sluice_ch_encodednumber(:0, :1)", text, string(str(type_)))
    return _or_raise(found, text, type_)


def _exact_text(value: Value, type_: e.WideDecimal) -> Value:
    return of_text(Sql("CAST(:0 AS STRING)", value.number()), type_)


def _narrow(value: Value, type_: m.Int) -> Value:
    return Value(checked(cut(text(value), 0), type_), type_)


def _narrow_decimal(value: Value, type_: m.Decimal) -> Value:
    digits = cut(text(value), type_.scale)
    return Value(Sql("CAST(:0 AS :1)", digits, type_sql(type_)), type_)


def _cut_whole(value: Value, type_: e.WideInt) -> Value:
    return of_text(cut(text(value), 0), type_)


def _time(value: Value, type_: e.Time) -> Value:
    """A number of seconds."""
    seconds = Sql("greatest(-3599999L, least(CAST(:0 AS BIGINT), 3599999L))", value.number())
    unit = 10 ** (type_.precision or 0)
    return Value(Sql(f"if(:0 IS NULL, NULL, :1 * {unit}L)", value.number(), seconds), type_)


def _time_of_day(value: Value, type_: e.Time) -> Value:
    """What the clock of a DateTime shows."""
    micros = Sql("pmod(unix_micros(:0), 86400000000L)", value.wall())
    digits = type_.precision or 0
    text = f":0 DIV {10 ** (6 - digits)}L" if digits <= 6 else f":0 * {10 ** (digits - 6)}L"
    return Value(Sql(text, micros), type_)


_CASTS: tuple[tuple[type[Type] | tuple[type[Type], ...], type[Type], Cast], ...] = (
    (Encoded, m.String, lambda value, type_: Value(text(value), type_)),
    (e.WideInt, e.WideInt, _through_text),
    ((m.Int, m.Bool, m.Decimal), e.WideInt, _whole_text),
    (e.WideDecimal, e.WideInt, _cut_whole),
    ((e.WideInt, e.WideDecimal), e.WideDecimal, _through_text),
    ((m.Int, m.Bool, m.Decimal), e.WideDecimal, _exact_text),
    ((e.WideInt, e.WideDecimal), m.Int, _narrow),
    ((e.WideInt, e.WideDecimal), m.Decimal, _narrow_decimal),
    (m.Int, e.IPv4, _address),
    (e.IPv4, m.Int, _number_of_address),
    (e.IPv4, e.IPv6, _through_text),
    (e.FineDateTime, e.FineDateTime, _other_digits),
    ((m.Int, m.Decimal), e.FineDateTime, _seconds),
    (m.Int, e.Time, _time),
    (m.DateTime, e.Time, _time_of_day),
)
"""Casts from one of some types to another."""


def sides(left: Value, right: Value) -> tuple[Sql, Sql]:
    """Two values, one of which is encoded, as something that Spark can compare.

    Raises:
        SluiceError: ILLEGAL_TYPE_OF_ARGUMENT.
    """
    if left.kind == right.kind or m.Nothing() in (left.kind, right.kind):
        return left.plain(), right.plain()
    for one, other in ((left, right), (right, left)):
        kind = one.kind
        if isinstance(kind, Encoded) and _fits(other, kind):
            made = _as(other, kind).sql
            return (one.sql, made) if one is left else (made, one.sql)
    check_same(left.type, right.type)
    return left.plain(), right.plain()


def _as(value: Value, type_: Encoded) -> Value:
    """A side of a comparison as one of the other side's type."""
    if isinstance(value.literal, str):
        return of_text(value.sql, type_)
    if isinstance(type_, e.FineDateTime) and value.is_a(m.DateTime):
        return of_microseconds(value, type_)
    return cast(value, type_)


def _fits(value: Value, type_: Type) -> bool:
    """Whether every value of a type, or a constant, is one of an encoded type."""
    if isinstance(value.literal, str):
        return True
    match type_, value.kind:
        case e.WideInt(), m.Int() if value.literal is not None:
            return type_.signed or value.literal >= 0
        case e.WideInt(signed=True), m.Int():
            return True
        case e.WideInt(signed=False), m.Int(signed=False):
            return True
        case e.WideDecimal(), m.Int():
            return type_.precision - type_.scale >= _DIGITS
        case e.WideDecimal(), m.Decimal(precision=precision, scale=scale):
            return scale <= type_.scale and precision - scale <= type_.precision - type_.scale
        case e.WideInt(), e.WideInt():
            return type_.signed == value.kind.signed and type_.bits >= value.kind.bits
        case e.IPv4(), m.Int(signed=False, bits=bits):
            return bits <= 32
        case e.IPv6(), e.IPv4():
            return True
        case e.FineDateTime(), e.FineDateTime():
            return type_.precision >= value.kind.precision
        case e.FineDateTime(), m.DateTime():
            return True
        case _:
            return False


_DIGITS = 20
"""Those of an integer of 64 bits."""
