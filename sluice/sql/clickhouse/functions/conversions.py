"""From one type to another: `CAST`, `toInt32`, `toDateOrNull` and their like.

Spark runs in ANSI mode: what does not fit is an error, where ClickHouse would wrap around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sluice import errors
from sluice.sql.clickhouse.functions.model import Scalar, special
from sluice.sql.clickhouse.ordering import numbered, signed
from sluice.sql.clickhouse.promotion import nullable
from sluice.sql.clickhouse.spark import ATOM, Sql, number, string
from sluice.sql.clickhouse.values import (
    BOOL,
    DATE,
    DATETIME,
    DOUBLE,
    STRING,
    Value,
    instant,
    is_known,
)
from sluice.types import Type, bare, is_nullable, parse_type, spark_type
from sluice.types import model as m
from sluice.types.text import quote_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.clickhouse.functions.model import Call

WRAPS = "a value that does not fit is an error (ClickHouse wraps around)"


def cast(value: Value, type_: Type) -> Value:
    """`CAST(value AS type)`; NULL stays NULL."""
    target = bare(type_)
    found = CASTS.get(type(target), _plain_cast)(value, target)
    return Value(found.sql, type_)


def _plain_cast(value: Value, type_: Any) -> Value:
    return Value(Sql("CAST(:0 AS :1)", value.plain(), type_sql(type_)), type_)


def type_sql(type_: Type) -> Sql:
    """A type's name in Spark; the names inside of it are the user's, so it is never a template."""
    text = spark_type(type_)
    if "${" in text:
        raise errors.BAD_ARGUMENTS(reason="A name may not contain ${")
    return Sql(text, rank=100)


def _int(value: Value, type_: m.Int) -> Value:
    source = value.plain()
    if value.is_a(m.Date):
        source = Sql("unix_date(:0)", source)
    source = numbered(value).sql if value.is_a(m.Enum) else source
    if type_.signed:
        return Value(Sql("CAST(:0 AS :1)", source, type_sql(type_)), type_)
    if value.logical or value.is_a(m.Bool) or _within(value, type_):
        return Value(Sql("CAST(:0 AS :1)", source, type_sql(type_)), type_)
    wide = Sql("CAST(:0 AS DECIMAL(38,0))", source)
    text = (
        f"CASE WHEN NOT :0 BETWEEN 0 AND {type_.high}"
        f" THEN raise_error(concat('Value ', CAST(:1 AS STRING), ' does not fit into {type_}'))"
        f" ELSE CAST(:1 AS {spark_type(type_)}) END"
    )
    return Value(Sql(text, wide, source), type_)


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


def _bool(value: Value, _type: Any) -> Value:
    return Value(value.condition(), BOOL)


def to_string(value: Value) -> Value:
    """Text as ClickHouse shows it: fixed digits behind a DateTime64, no `.0` behind a Float."""
    if value.is_a(m.String, m.FixedString, m.Enum, m.Uuid):
        return Value(value.sql, STRING)
    kind = value.kind
    if isinstance(kind, m.DateTime):
        digits = "." + "S" * kind.precision if kind.precision else ""
        pattern = string(f"yyyy-MM-dd HH:mm:ss{digits}")
        return Value(Sql("date_format(:0, :1)", value.wall(), pattern), STRING)
    if isinstance(kind, m.Float):
        text = (
            "CASE WHEN :0 = floor(:0) AND abs(:0) < 1e15D THEN CAST(CAST(:0 AS BIGINT) AS STRING)"
            " WHEN isnan(:0) THEN 'nan' WHEN :0 = double('Infinity') THEN 'inf'"
            " WHEN :0 = double('-Infinity') THEN '-inf' ELSE lower(CAST(:0 AS STRING)) END"
        )
        return Value(Sql(text, value.sql), STRING)
    return Value(Sql("CAST(:0 AS STRING)", value.plain()), STRING)


def _decimal(value: Value, type_: m.Decimal) -> Value:
    """Digits that have no room behind the point are cut off, not rounded."""
    source = value.number() if value.is_a(m.Int, m.Bool) else _cut(value.plain(), type_.scale)
    return Value(Sql("CAST(:0 AS :1)", source, type_sql(type_)), type_)


def _cut(number_: Sql, scale: int) -> Sql:
    kept = f"([.][0-9]{{{scale}}})[0-9]+$" if scale else "([.])[0-9]*$"
    new = string("$1" if scale else "")
    return Sql("regexp_replace(CAST(:0 AS STRING), :1, :2)", number_, string(kept), new)


def _fixed_string(value: Value, type_: m.FixedString) -> Value:
    text = (
        "CASE WHEN octet_length(:0) > :1 THEN raise_error('The string is too long for FixedString')"
        " ELSE rpad(:0, :1 - octet_length(:0) + char_length(:0), '\\u0000') END"
    )
    return Value(Sql(text, to_string(value).sql, number(type_.length)), type_)


_NUMBERS = "('tinyint', 'smallint', 'int', 'bigint', 'float', 'double', 'boolean')"


def to_date(value: Value, zone: str | None = None, form: str = "CAST") -> Value:
    """A Date; a number below 65536 counts days, a larger one seconds."""
    if value.is_a(m.Date):
        return value
    if value.is_a(m.DateTime):
        return Value(Sql("CAST(:0 AS DATE)", value.wall(zone)), DATE)
    if value.is_a(m.String) or form == "try_cast":
        return Value(Sql(f"{form}(:0 AS DATE)", value.plain()), DATE)
    days = (
        "CASE WHEN :0 < 65536 THEN date_from_unix_date(CAST(:0 AS INT))"
        " ELSE CAST(timestamp_seconds(CAST(:0 AS BIGINT)) AS DATE) END"
    )
    if value.is_a(m.Int, m.Float, m.Decimal):
        return Value(Sql(days, value.number()), DATE)
    guess = Sql("CAST(CAST(:0 AS STRING) AS DECIMAL(38,0))", value.plain())
    text = (
        f"CASE WHEN typeof(:0) IN {_NUMBERS} OR typeof(:0) LIKE 'decimal%' THEN :1"
        " ELSE CAST(CAST(:0 AS STRING) AS DATE) END"
    )
    return Value(Sql(text, value.plain(), Sql(days, guess)), DATE)


def to_datetime(value: Value, zone: str | None = None, form: str = "CAST") -> Value:
    """A DateTime: numbers are seconds since 1970, text is read in the zone."""
    type_ = m.DateTime(None, zone or value.zone)
    if value.is_a(m.DateTime):
        cut = getattr(value.kind, "precision", None)
        return Value(Sql("date_trunc('SECOND', :0)", value.sql) if cut else value.sql, type_)
    moment = Sql(f"{form}(:0 AS TIMESTAMP)", value.plain())
    if value.is_a(m.Int):
        return Value(moment, type_)
    if value.is_a(m.String, m.Date) and zone:
        moment = instant(moment, zone)
    return Value(Sql("date_trunc('SECOND', :0)", moment), type_)


def _datetime(value: Value, type_: m.DateTime) -> Value:
    if type_.precision is None:
        return to_datetime(value, type_.zone)
    moment = Sql("CAST(:0 AS TIMESTAMP)", value.plain())
    if value.is_a(m.String, m.Date):
        moment = instant(moment, type_.zone)
    step = number(10 ** (6 - type_.precision))
    if type_.precision < 6:
        moment = Sql("timestamp_micros(unix_micros(:0) DIV :1 * :1)", moment, step)
    return Value(moment, type_)


_UUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


def _uuid(value: Value, type_: Any) -> Value:
    text = (
        f"CASE WHEN NOT :0 RLIKE '{_UUID}' THEN raise_error(concat('Cannot parse UUID ', :0))"
        " ELSE lower(:0) END"
    )
    return Value(Sql(text, to_string(value).sql), type_)


def _enum(value: Value, type_: m.Enum) -> Value:
    names = [string(name) for name, _ in type_.values]
    if value.is_a(m.Int):
        pairs = [part for name, n in type_.values for part in (signed(n), string(name))]
        return Value(Sql("element_at(map(:*), :0)", value.sql, *pairs), type_)
    slots = ", ".join(f":{n + 1}" for n in range(len(names)))
    text = (
        f"CASE WHEN NOT :0 IN ({slots}) THEN raise_error(concat('Unknown element of Enum: ', :0))"
        " ELSE :0 END"
    )
    return Value(Sql(text, to_string(value).sql, *names), type_)


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
    m.Date: lambda value, _: to_date(value),
    m.DateTime: _datetime,
    m.Enum: _enum,
    m.Array: _array,
}
"""How to make a value of each type; others are Spark's own CAST."""


def type_named(call: Call, text: str) -> Type:
    """The type a user wrote, or an error with the call's place."""
    try:
        return parse_type(text)
    except errors.SluiceError as bad:
        raise bad.at(call.place) from bad


FUNCTIONS: dict[str, Scalar] = {
    "CAST": special(2, any_case=True, derives=False, doc=WRAPS)(
        lambda call: cast(call.arg(0), type_named(call, call.literal(1)))
    ),
    "toString": special(1, 2)(
        lambda call: (
            to_string(call.arg(0))
            if call.count == 1
            else to_string(Value(call.arg(0).sql, m.DateTime(None, call.literal(1))))
        )
    ),
    "toTypeName": special(1, derives=False)(lambda call: _type_name(call)),
    "toBool": special(1)(lambda call: cast(call.arg(0), BOOL)),
    "toUUID": special(1)(lambda call: cast(call.arg(0), m.Uuid())),
    "toFixedString": special(2)(
        lambda call: cast(call.arg(0), m.FixedString(call.literal(1, int)))
    ),
    "toDate": special(1, 2)(
        lambda call: to_date(call.arg(0), call.literal(1) if call.count > 1 else None)
    ),
    "toDateTime": special(1, 2)(
        lambda call: to_datetime(call.arg(0), call.literal(1) if call.count > 1 else None)
    ),
    "toDateTime64": special(2, 3)(lambda call: _to_datetime64(call)),
}


def _type_name(call: Call) -> Value:
    """`toTypeName(x)`: the type, as text."""
    type_ = call.arg(0).type
    if not is_known(type_):
        raise call.wrong(reason="The type of this expression is not known before it is run")
    return Value(string(str(type_)), STRING, literal=str(type_))


FUNCTIONS["toDate32"] = FUNCTIONS["toDate"]
FUNCTIONS["DATE"] = special(1, any_case=True)(lambda call: to_date(call.arg(0)))


def _to_datetime64(call: Call) -> Value:
    """`toDateTime64(x, digits, [zone])`; a DateTime keeps its own zone."""
    value = call.arg(0)
    zone = call.literal(2) if call.count > 2 else value.zone
    args = repr(call.literal(1, int)) + (f", {quote_string(zone)}" if zone else "")
    return cast(value, type_named(call, f"DateTime64({args})"))


def default_of(type_: Type) -> Sql | None:
    """ClickHouse's default of a type, None where it has none."""
    kind = bare(type_)
    match kind:
        case m.Int() | m.Decimal() | m.Float():
            return Sql(f"CAST(0 AS {spark_type(kind)})")
        case m.Bool():
            return Sql("false", rank=ATOM)
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
            parts = [_null(item) if is_nullable(item) else default_of(item) for item in items]
            known = [part for part in parts if part is not None]
            whole = len(known) == len(parts)
            return Sql("CAST(struct(:*) AS :0)", type_sql(kind), *known) if whole else None
        case _:
            return None


def _null(type_: Type) -> Sql:
    return Sql("CAST(NULL AS :0)", type_sql(type_))


def try_cast(value: Value, type_: Type, *, zero: bool) -> Value:
    """The `…OrNull` and `…OrZero` conversions of text."""
    source = to_string(value).sql
    if isinstance(type_, m.Decimal):
        source = _cut(source, type_.scale)
    if isinstance(type_, m.Int) and not type_.signed:
        text = (
            f"if(try_cast(:0 AS DECIMAL(38,0)) BETWEEN 0 AND {type_.high},"
            f" try_cast(:0 AS {spark_type(type_)}), NULL)"
        )
    elif isinstance(type_, m.DateTime) and type_.precision is None:
        text = "date_trunc('SECOND', try_cast(:0 AS TIMESTAMP))"
    elif isinstance(type_, m.Uuid):
        text = f"if(:0 RLIKE '{_UUID}', lower(:0), NULL)"
    else:
        text = f"try_cast(:0 AS {spark_type(type_)})"  # a scalar: no name of the user's in it
    found = Sql(text, source)
    default = default_of(type_) or string("00000000-0000-0000-0000-000000000000")
    return (
        Value(Sql("coalesce(:0, :1)", found, default), type_)
        if zero
        else Value(found, nullable(type_))
    )


def _family(name: str, type_: Type, doc: str = "") -> None:
    if name not in FUNCTIONS:
        FUNCTIONS[name] = special(1, doc=doc)(lambda call: cast(call.arg(0), type_))
    FUNCTIONS[f"{name}OrNull"] = special(1)(lambda call: try_cast(call.arg(0), type_, zero=False))
    FUNCTIONS[f"{name}OrZero"] = special(1)(lambda call: try_cast(call.arg(0), type_, zero=True))


for _bits in (8, 16, 32, 64):
    _family(f"toInt{_bits}", m.Int(_bits), WRAPS)
    _family(f"toUInt{_bits}", m.Int(_bits, signed=False), WRAPS)
_family("toFloat32", m.Float(32))
_family("toFloat64", DOUBLE)
_family("toDate", DATE)
_family("toDateTime", DATETIME)
_family("toUUID", m.Uuid())


def _decimals(digits: int) -> None:
    def type_(call: Call) -> Type:
        return m.Decimal(digits, call.literal(1, int))

    name = f"toDecimal{ {9: 32, 18: 64, 38: 128}[digits] }"
    FUNCTIONS[name] = special(2)(lambda call: cast(call.arg(0), type_(call)))
    FUNCTIONS[f"{name}OrNull"] = special(2)(
        lambda call: try_cast(call.arg(0), type_(call), zero=False)
    )
    FUNCTIONS[f"{name}OrZero"] = special(2)(
        lambda call: try_cast(call.arg(0), type_(call), zero=True)
    )


for _digits in (9, 18, 38):
    _decimals(_digits)
