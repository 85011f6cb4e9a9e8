"""How a value is cast to each type of ClickHouse, and the default values of types.

Spark runs in ANSI mode: what does not fit is an error, where ClickHouse would wrap around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sluice import errors
from sluice.formats import json_texts
from sluice.formats.text_casts import BFLOAT16
from sluice.sql.clickhouse import scalars
from sluice.sql.clickhouse.exact import checked, cut, type_sql
from sluice.sql.clickhouse.integers import cut_off
from sluice.sql.clickhouse.ordering import numbered, signed
from sluice.sql.clickhouse.promotion import nullable
from sluice.sql.clickhouse.values import (
    BOOL,
    BYTE,
    LONG,
    STRING,
    ULONG,
    Value,
    fields,
    instant,
    is_known,
)
from sluice.sql.core.spark import ATOM, Sql, number, raised, shown, string
from sluice.types import Type, bare, is_nullable, spark_type
from sluice.types import model as m
from sluice.types.encoded import Encoded, FineDateTime, IPv4, IPv6, Time, is_encoded
from sluice.types.semistructured import Json, is_opaque

if TYPE_CHECKING:
    from collections.abc import Callable


def cast(value: Value, type_: Type) -> Value:
    """`CAST(value AS type)`; NULL stays NULL."""
    target = bare(type_)
    if is_opaque(value.type) and bare(value.type) == target:
        return Value(value.sql, type_)
    if is_opaque(value.type):
        what, hint = f"CAST to {type_} of a value", "SELECT it from the target table."
        raise errors.OPAQUE_TYPE(what=what, type=value.type, hint=hint)
    if _is_scalar_cast(value, target):
        return Value(_scalar_cast(value, target, tried=is_nullable(type_)).sql, type_)
    if is_nullable(type_) and value.is_a(m.String, m.FixedString) and isinstance(target, _PARSED):
        return Value(try_cast(value, target, zero=False, freely=True).sql, type_)
    found = CASTS.get(type(target), _plain_cast)(value, target)
    return Value(found.sql, type_)


def _is_scalar_cast(value: Value, target: Type) -> bool:
    """Whether a value that Spark has no type for is cast; arrays are, item by item, as others."""
    if isinstance(value.kind, m.Array) and isinstance(target, m.Array):
        return False
    return is_encoded(value.type) or is_encoded(target)


def _scalar_cast(value: Value, target: Type, *, tried: bool) -> Value:
    """A cast to or from a type that Spark lacks; `tried` gives NULL for a wrong text."""
    if isinstance(target, m.DateTime | m.Date) and value.is_a(FineDateTime):
        fine = getattr(target, "precision", None) is not None
        return cast(scalars.in_microseconds(value, down=not fine), target)
    if isinstance(target, FineDateTime) and value.is_a(m.DateTime, m.Date):
        return scalars.of_microseconds(cast(value, m.DateTime(6, target.zone)), target)
    if isinstance(target, Encoded) and value.is_a(m.String, m.FixedString):
        return scalars.of_text(to_string(value).sql, target, tried=tried)
    return scalars.cast(value, target)


_PARSED = (m.Int, m.Float, m.Decimal, m.Date, m.DateTime, m.Uuid)
"""The types whose Nullable has NULL for a text that cannot be parsed."""


def converted(value: Value, type_: Type) -> Value:
    """What `toInt32` and its like make of a value: Nullable if that is."""
    return cast(value, nullable(type_) if is_nullable(value.type) else type_)


def _json(value: Value, type_: Json) -> Value:
    if not value.is_a(m.String):
        what, hint = f"CAST to {type_}", "Cast a String, or a value that toJSONString has made one."
        raise errors.OPAQUE_TYPE(what=what, type=value.type, hint=hint)
    text = f"{json_texts.FUNCTION}(:0, :1, '')"
    return Value(Sql(text, value.sql, string(json_texts.reader(type_))), type_)


def _plain_cast(value: Value, type_: Any) -> Value:
    return Value(Sql("CAST(:0 AS :1)", value.plain(), type_sql(type_)), type_)


def _int(value: Value, type_: m.Int) -> Value:
    """An integer; bits that have no room are cut off, but not those of a text."""
    kind, source = value.kind, value.plain()
    if isinstance(kind, m.FixedString):
        source = _number_text(value)
    elif isinstance(kind, m.Enum):
        source, kind = numbered(value).sql, m.Int(16)
    elif isinstance(kind, m.Date):
        source, kind = Sql("unix_date(:0)", source), m.Int(32)
    elif isinstance(kind, m.DateTime):
        source, kind = Sql("unix_micros(:0) DIV 1000000", source), m.Int(64)
    plain = Sql("CAST(:0 AS :1)", source, type_sql(type_))
    if value.logical or isinstance(kind, m.Bool) or _within(value, type_):
        return Value(plain, type_)
    if isinstance(kind, m.Int):
        return Value(cut_off(source, kind, type_), type_)
    if isinstance(kind, m.Float) and type_ == ULONG:
        return Value(Sql(_WHOLE, source), type_)
    if isinstance(kind, m.Float):
        return Value(cut_off(Sql("CAST(:0 AS BIGINT)", source), m.Int(64), type_), type_)
    if isinstance(kind, m.Decimal):
        whole = Sql("if(:0 < 0, ceil(:0), floor(:0))", source)
        return Value(checked(whole, type_), type_)
    return Value(plain if type_.signed else checked(source, type_), type_)


_WHOLE = (
    f"pmod(if(abs(:0) < 9e18D, CAST(CAST(:0 AS BIGINT) AS DECIMAL(20,0)),"
    f" CAST(:0 AS DECIMAL(20,0))), {1 << 64})"
)
"""A floating point number without its fraction; one that is none, or too large, is an error."""


def bits_of(value: Value) -> Sql:
    """The 64 bits of an integer, as BIGINT."""
    return cut_off(value.number(), _number_kind(value), m.Int(64))


def of_bits(bits: Sql, type_: m.Int) -> Sql:
    """An integer of a type that has these bits."""
    return cut_off(bits, m.Int(64), type_)


def _number_kind(value: Value) -> m.Int:
    return value.kind if isinstance(value.kind, m.Int) else m.Int(64)


def _within(value: Value, type_: m.Int) -> bool:
    """Whether every value is known to fit."""
    if isinstance(value.literal, int) and not isinstance(value.literal, bool):
        return type_.low <= value.literal <= type_.high
    kind = value.kind
    return (
        isinstance(kind, m.Int)
        and value.literal is None
        and type_.low <= kind.low
        and kind.high <= type_.high
    )


def _number_text(value: Value) -> Sql:
    """Text to parse a number from; an empty FixedString is one of zeros, and counts as 0."""
    text = to_string(value).sql
    return Sql("if(:0 = '', '0', :0)", text) if value.is_a(m.FixedString) else text


def _bool(value: Value, _type: Any) -> Value:
    if value.is_a(m.DateTime):
        return Value(Sql("unix_micros(:0) <> 0", value.sql), BOOL)
    if value.is_a(m.Date, m.Enum):
        return Value(Sql(":0 <> 0", _int(value, LONG).sql), BOOL)
    return Value(value.condition(), BOOL)


def _float(value: Value, type_: m.Float) -> Value:
    if value.is_a(m.Date, m.Enum):
        value = _int(value, LONG)
    source = _number_text(value) if value.is_a(m.FixedString) else value.plain()
    return Value(_shortened(Sql("CAST(:0 AS :1)", source, type_sql(type_)), type_), type_)


def _shortened(number: Sql, type_: Type) -> Sql:
    """A number that Spark holds, as one of the type: a BFloat16 has fewer digits."""
    return Sql(f"{BFLOAT16}(:0)", number) if type_ == m.Float(16) else number


def to_string(value: Value) -> Value:
    """Text as ClickHouse shows it: all digits of a DateTime64, no `.0` after a Float."""
    if value.is_a(m.String, m.Enum, m.Uuid):
        return Value(value.sql, STRING)
    if value.is_a(m.FixedString):
        return Value(Sql("trim(TRAILING '\\u0000' FROM :0)", value.sql), STRING)
    kind = value.kind
    if isinstance(kind, Encoded):
        return Value(scalars.text(value), STRING)
    if isinstance(kind, m.DateTime):
        digits = "." + "S" * kind.precision if kind.precision else ""
        pattern = string(f"yyyy-MM-dd HH:mm:ss{digits}")
        return Value(Sql("date_format(:0, :1)", value.wall(), pattern), STRING)
    if isinstance(kind, m.Float):
        text = _DOUBLE_TEXT if kind.bits == 64 else "sluice_ch_floattext(CAST(:0 AS FLOAT))"
        return Value(Sql(text, value.sql), STRING)
    if isinstance(kind, m.Decimal):
        text = "sluice_ch_withoutzeros(CAST(:0 AS STRING))"
        return Value(Sql(text, value.sql) if kind.scale else _as_text(value), STRING)
    if isinstance(kind, m.Array | m.Map | m.Tuple) and is_known(kind):
        return Value(_nested_text(value), STRING)
    return Value(Sql("CAST(:0 AS STRING)", value.plain()), STRING)


_DOUBLE_TEXT = "sluice_ch_doubletext(CAST(:0 AS DOUBLE))"


def _as_text(value: Value) -> Sql:
    return Sql("CAST(:0 AS STRING)", value.plain())


def _nested_text(value: Value) -> Sql:
    """An array, a map or a tuple as text, with quotes around the texts in it."""
    kind = value.kind
    if isinstance(kind, m.Array):
        each = _item_text(Value(Sql("`_t`", rank=100), kind.item))
        return Sql("concat('[', array_join(transform(:0, `_t` -> :1), ','), ']')", value.sql, each)
    if isinstance(kind, m.Map):
        key = _item_text(Value(Sql("`_t`.`key`", rank=100), kind.key))
        item = _item_text(Value(Sql("`_t`.`value`", rank=100), kind.value))
        text = "concat('{', array_join(transform(map_entries(:0), `_t` -> :1), ','), '}')"
        return Sql(text, value.sql, Sql("concat(:0, ':', :1)", key, item))
    assert isinstance(kind, m.Tuple)  # noqa: S101 - the caller has looked
    parts = map(_item_text, fields(value.sql, kind))
    return Sql("concat('(', concat_ws(',', :*), ')')", *parts)


_IN_QUOTES = (
    m.String, m.FixedString, m.Enum, m.Uuid, m.Date, m.DateTime, IPv4, IPv6, FineDateTime, Time,
)  # fmt: skip


def _item_text(value: Value) -> Sql:
    text = to_string(value).sql
    if value.is_a(*_IN_QUOTES):
        text = Sql("sluice_ch_quoted(:0)", text)
    return Sql("coalesce(:0, 'NULL')", text)


def _decimal(value: Value, type_: m.Decimal) -> Value:
    """Digits that do not fit after the point are truncated, not rounded."""
    if value.is_a(m.DateTime):
        micros = Sql("CAST(unix_micros(:0) AS DECIMAL(20,0)) / 1000000", value.sql)
        value = Value(micros, m.Decimal(38, 6))
    elif value.is_a(m.Date, m.Enum):
        value = _int(value, LONG)
    source = value.number() if value.is_a(m.Int, m.Bool) else cut(value.plain(), type_.scale)
    return Value(Sql("CAST(:0 AS :1)", source, type_sql(type_)), type_)


def _fixed_string(value: Value, type_: m.FixedString) -> Value:
    long = raised("TOO_LARGE_STRING_SIZE", reason=string(f"String too long for type {type_}"))
    text = (
        "CASE WHEN octet_length(:0) > :1 THEN :2"
        " ELSE rpad(:0, :1 - octet_length(:0) + char_length(:0), '\\u0000') END"
    )
    return Value(Sql(text, to_string(value).sql, number(type_.length), long), type_)


_NUMBERS = "('tinyint', 'smallint', 'int', 'bigint', 'float', 'double', 'boolean')"


_LAST_SECOND = (1 << 32) - 1
"""The last one of a DateTime."""

_FIRST_DAY, _LAST_MOMENT = -719528, 253402300799
"""Bounds of a Date32: the days to 0000-01-01, and the seconds to the end of 9999."""


_LAST_DAY = 2932896
"""The last one of a Date32: 9999-12-31."""


def _clamped(value: Value, first: int, last: int) -> Sql:
    """A number between two others; those outside are one of the two."""
    low, high = value.reach or (first - 1, last + 1)
    tests = [
        f"WHEN :0 < {first} THEN {first}" if low < first else "",
        f"WHEN :0 > {last} THEN {last}" if high > last else "",
    ]
    cases = " ".join(test for test in tests if test)
    return Sql(f"CASE {cases} ELSE :0 END", value.number()) if cases else value.number()


def _counted(value: Value) -> Value:
    """A Bool or an Enum as its number; any other value as it is."""
    if value.logical or value.is_a(m.Bool):
        return Value(value.number(), BYTE)
    return numbered(value)


def _or_raise(parsed: Sql, text: Sql, condition: str, type_: Type) -> Sql:
    """What a text was parsed to; NULL stays NULL, any other text is an error."""
    wrong = raised(condition, value=shown(text), type=string(str(type_)))
    return Sql("CASE WHEN :0 IS NOT NULL THEN coalesce(:1, :2) END", text, parsed, wrong)


def _parsed_day(text: Sql) -> Sql:
    return Sql("date_from_unix_date(sluice_ch_parseday(:0))", text)


def _parsed_time(text: Sql, zone: str | None, *, freely: bool = True) -> Sql:
    """A moment; `freely` takes all that parseDateTimeBestEffort takes."""
    how = "true" if freely else "false"
    call = f"timestamp_micros(sluice_ch_parsetime(:0, :1, {how}))"
    return Sql(call, text, string(zone or "UTC"))


def to_date(value: Value, zone: str | None = None, *, wide: bool = False) -> Value:
    """A Date or Date32: a small number counts days, a larger one seconds."""
    type_, value = m.Date(wide=wide), _counted(value)
    if value.is_a(m.Date):
        return Value(value.sql, type_)
    if value.is_a(m.DateTime):
        return Value(Sql("CAST(:0 AS DATE)", value.wall(zone)), type_)
    if value.is_a(m.String, m.FixedString):
        text = to_string(value).sql
        return Value(_or_raise(_parsed_day(text), text, "CANNOT_PARSE_DATE", type_), type_)
    days = (
        f"CASE WHEN :0 <= {_LAST_DAY if wide else 65535} THEN date_from_unix_date(CAST(:0 AS INT))"
        " ELSE CAST(timestamp_seconds(CAST(:0 AS BIGINT)) AS DATE) END"
    )
    if value.is_a(m.Int, m.Float, m.Decimal):
        bounds = (_FIRST_DAY, _LAST_MOMENT) if wide else (0, _LAST_SECOND)
        return Value(Sql(days, _clamped(value, *bounds)), type_)
    guess = Sql("CAST(CAST(:0 AS STRING) AS DECIMAL(38,0))", value.plain())
    either = (
        f"CASE WHEN typeof(:0) IN {_NUMBERS} OR typeof(:0) LIKE 'decimal%' THEN :1"
        " ELSE CAST(CAST(:0 AS STRING) AS DATE) END"
    )
    return Value(Sql(either, value.plain(), Sql(days, guess)), type_)


def to_datetime(value: Value, zone: str | None = None) -> Value:
    """A DateTime: numbers are seconds since 1970, text is read in the zone."""
    type_ = m.DateTime(None, zone or value.zone)
    value = _counted(value)
    if value.is_a(m.DateTime):
        cut = getattr(value.kind, "precision", None)
        return Value(Sql("date_trunc('SECOND', :0)", value.sql) if cut else value.sql, type_)
    if value.is_a(m.Int, m.Float, m.Decimal):
        within = _clamped(value, 0, _LAST_SECOND)
        return Value(Sql("timestamp_seconds(CAST(:0 AS BIGINT))", within), type_)
    return Value(_cut_time(_moment(value, type_), type_), type_)


def _moment(value: Value, type_: m.DateTime) -> Sql:
    """A value as TIMESTAMP; texts and dates are those of the type's zone."""
    if value.is_a(m.String, m.FixedString):
        text = to_string(value).sql
        return _or_raise(_parsed_time(text, type_.zone), text, "CANNOT_PARSE_DATETIME", type_)
    if value.is_a(m.Int, m.Float, m.Decimal):
        return Sql("CAST(:0 AS TIMESTAMP)", _clamped(value, _FIRST_DAY * 86400, _LAST_MOMENT))
    moment = Sql("CAST(:0 AS TIMESTAMP)", value.plain())
    return instant(moment, type_.zone) if value.is_a(m.Date) else moment


def _datetime(value: Value, type_: m.DateTime) -> Value:
    if type_.precision is None:
        return to_datetime(value, type_.zone)
    return Value(_cut_time(_moment(_counted(value), type_), type_), type_)


def _cut_time(moment: Sql, type_: m.DateTime) -> Sql:
    """A moment without the digits that a type has no place for."""
    if type_.precision is None:
        return Sql("date_trunc('SECOND', :0)", moment)
    if type_.precision >= 6:
        return moment
    step = number(10 ** (6 - type_.precision))
    return Sql("timestamp_micros(unix_micros(:0) DIV :1 * :1)", moment, step)


_UUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


def _uuid(value: Value, type_: Any) -> Value:
    given = to_string(value).sql
    wrong = raised("CANNOT_PARSE_UUID", value=shown(given), type=string("UUID"))
    text = f"CASE WHEN NOT :0 RLIKE '{_UUID}' THEN :1 ELSE lower(:0) END"
    return Value(Sql(text, given, wrong), type_)


def _enum(value: Value, type_: m.Enum) -> Value:
    names = [string(name) for name, _ in type_.values]
    if value.is_a(m.Int):
        pairs = [part for name, n in type_.values for part in (signed(n), string(name))]
        return Value(Sql("element_at(map(:*), :0)", value.sql, *pairs), type_)
    slots = ", ".join(f":{n + 1}" for n in range(len(names)))
    given = to_string(value).sql
    wrong = raised("UNKNOWN_ELEMENT_OF_ENUM", value=shown(given))
    text = f"CASE WHEN NOT :0 IN ({slots}) THEN :{len(names) + 1} ELSE :0 END"
    return Value(Sql(text, given, *names, wrong), type_)


def _array(value: Value, type_: m.Array) -> Value:
    kind = value.kind
    item = kind.item if isinstance(kind, m.Array) else None
    inner = cast(Value(Sql("`_i`", rank=100), item or type_.item), type_.item)
    return Value(Sql("transform(:0, `_i` -> :1)", value.sql, inner.sql), type_)


CASTS: dict[type[Type], Callable[[Value, Any], Value]] = {
    m.Int: _int,
    m.Bool: _bool,
    m.Decimal: _decimal,
    m.String: lambda value, _: to_string(value),
    m.FixedString: _fixed_string,
    m.Uuid: _uuid,
    m.Float: _float,
    m.Date: lambda value, type_: to_date(value, wide=type_.wide),
    m.DateTime: _datetime,
    m.Enum: _enum,
    m.Array: _array,
    Json: _json,
}
"""How to make a value of each type; others are Spark's own CAST."""


def default_of(type_: Type) -> Sql | None:
    """ClickHouse's default of a type, None where it has none."""
    kind = bare(type_)
    match kind:
        case m.Int() | m.Decimal() | m.Float():
            return Sql(f"CAST(0 AS {spark_type(kind)})")
        case m.Bool():
            return Sql("false", rank=ATOM)
        case Json():
            return string("{}")
        case Encoded():
            return Sql(kind.zero)
        case m.String():
            return string("")
        case m.FixedString(length):
            return string("\0" * length)
        case m.Uuid():
            return string(str(UUID(int=0)))
        case m.Enum(values=values):
            return string(values[0][0])
        case m.Date():
            return Sql("DATE'1970-01-01'", rank=ATOM)
        case m.DateTime():
            return Sql("TIMESTAMP'1970-01-01 00:00:00'", rank=ATOM)
        case m.Array(item) if is_known(item):
            return Sql("CAST(array() AS :0)", type_sql(kind))
        case m.Map() if is_known(kind):
            return Sql("CAST(map() AS :0)", type_sql(kind))
        case m.Tuple(items) if is_known(kind):
            parts = [null_of(item) if is_nullable(item) else default_of(item) for item in items]
            known = [part for part in parts if part is not None]
            whole = len(known) == len(parts)
            return Sql("CAST(struct(:*) AS :0)", type_sql(kind), *known) if whole else None
        case _:
            return None


def or_default(sql: Sql, type_: Type) -> Sql:
    """A value of a type whose default stands for NULL, unless the type has NULL itself."""
    default = None if is_nullable(type_) else default_of(type_)
    return sql if default is None else Sql("coalesce(:0, :1)", sql, default)


def null_of(type_: Type) -> Sql:
    """NULL as a value of a type."""
    return Sql("CAST(NULL AS :0)", type_sql(type_)) if is_known(type_) else Sql("NULL", rank=ATOM)


def try_cast(value: Value, type_: Type, *, zero: bool, freely: bool = False) -> Value:
    """The `…OrNull` and `…OrZero` conversions of text; `freely` as in `_parsed_time`."""
    if isinstance(type_, Encoded):
        return _tried_encoded(to_string(value).sql, type_, zero=zero)
    if isinstance(type_, m.Date | m.DateTime):
        value = _counted(value)
        if value.is_a(m.Int):
            made = to_date(value) if isinstance(type_, m.Date) else to_datetime(value)
            text = f"if(:0 BETWEEN 0 AND {_LAST_SECOND}, :1, NULL)"
            return Value(Sql(text, value.number(), made.sql), nullable(type_))
    source = _number_text(value) if isinstance(type_, m.Int) else to_string(value).sql
    found = _tried(source, type_, freely=freely)
    if not zero:
        return Value(found, nullable(type_))
    default = default_of(type_)
    assert default is not None  # noqa: S101 - all of these types have one
    return Value(Sql("if(:2 IS NULL, NULL, coalesce(:0, :1))", found, default, source), type_)


def _tried_encoded(text: Sql, type_: Encoded, *, zero: bool) -> Value:
    """The same of a type that Spark lacks."""
    found = scalars.of_text(text, type_, tried=True)
    if not zero:
        return Value(found.sql, nullable(type_))
    return Value(Sql(f"if(:1 IS NULL, NULL, coalesce(:0, {type_.zero}))", found.sql, text), type_)


def _tried(text: Sql, type_: Type, *, freely: bool) -> Sql:
    """What a text says, NULL if it cannot be parsed."""
    match type_:
        case m.Int():
            call = (
                "if(:0 RLIKE '^[+-]?[0-9]{1,38}$' AND"
                f" try_cast(:0 AS DECIMAL(38,0)) BETWEEN {type_.low} AND {type_.high},"
                f" try_cast(:0 AS {spark_type(type_)}), NULL)"
            )
            return Sql(call, text)
        case m.Date():
            return _parsed_day(text)
        case m.DateTime():
            return _cut_time(_parsed_time(text, type_.zone, freely=freely), type_)
        case m.Uuid():
            return Sql(f"if(:0 RLIKE '{_UUID}', lower(:0), NULL)", text)
        case m.Decimal():
            text = cut(text, type_.scale)
        case _:
            pass
    return _shortened(Sql("try_cast(:0 AS :1)", text, type_sql(type_)), type_)
