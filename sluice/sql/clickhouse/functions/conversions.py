"""From one type to another: `CAST`, `toInt32`, `toDateOrNull` and their like.

Spark runs in ANSI mode: what does not fit is an error, where ClickHouse would wrap around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sluice import errors
from sluice.sql.clickhouse.functions.model import Scalar, special
from sluice.sql.clickhouse.operators import wrapped
from sluice.sql.clickhouse.ordering import numbered, signed
from sluice.sql.clickhouse.promotion import nullable
from sluice.sql.clickhouse.spark import ATOM, Sql, name, number, raised, shown, string
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
    """A whole number; bits that have no room are cut off, but not those of a text."""
    kind, source = value.kind, value.plain()
    if isinstance(kind, m.Enum):
        source, kind = numbered(value).sql, m.Int(16)
    elif isinstance(kind, m.Date):
        source, kind = Sql("unix_date(:0)", source), m.Int(32)
    elif isinstance(kind, m.DateTime):
        source, kind = Sql("unix_micros(:0) DIV 1000000", source), m.Int(64)
    plain = Sql("CAST(:0 AS :1)", source, type_sql(type_))
    if value.logical or isinstance(kind, m.Bool) or _within(value, type_):
        return Value(plain, type_)
    if isinstance(kind, m.Int):
        return Value(_cut_off(source, kind, type_), type_)
    if isinstance(kind, m.Float) and type_ == _HUGE:
        return Value(Sql(_WHOLE, source), type_)
    if isinstance(kind, m.Float):
        return Value(_cut_off(Sql("CAST(:0 AS BIGINT)", source), m.Int(64), type_), type_)
    if isinstance(kind, m.Decimal):
        whole = Sql("if(:0 < 0, ceil(:0), floor(:0))", source)
        return Value(_checked(whole, type_), type_)
    return Value(plain if type_.signed else _checked(source, type_), type_)


_HUGE = m.Int(64, signed=False)
_WHOLE = (
    f"pmod(if(abs(:0) < 9e18D, CAST(CAST(:0 AS BIGINT) AS DECIMAL(20,0)),"
    f" CAST(:0 AS DECIMAL(20,0))), {1 << 64})"
)
"""A floating point number without its fraction; one that is none, or too large, is an error."""


def bits_of(value: Value) -> Sql:
    """The 64 bits of a whole number, as BIGINT."""
    return _cut_off(value.number(), _number_kind(value), m.Int(64))


def of_bits(bits: Sql, type_: m.Int) -> Sql:
    """A whole number of a type that has these bits."""
    return _cut_off(bits, m.Int(64), type_)


def _number_kind(value: Value) -> m.Int:
    return value.kind if isinstance(value.kind, m.Int) else m.Int(64)


def _cut_off(source: Sql, kind: m.Int, type_: m.Int) -> Sql:
    """A whole number in as many bits as a type has."""
    if type_.bits == 64 and type_.signed and kind != _HUGE:
        return Sql("CAST(:0 AS BIGINT)", source)
    if type_.bits == 64:
        return wrapped(Sql("CAST(:0 AS DECIMAL(20,0))", source), type_)
    if kind == _HUGE:
        source = wrapped(source, m.Int(64))
    left = 64 - type_.bits
    text = f"shiftright(shiftleft(CAST(:0 AS BIGINT), {left}), {left})"
    if not type_.signed:
        text = f"CAST(:0 AS BIGINT) & {type_.high}L"
    return Sql(f"CAST({text} AS :1)", source, type_sql(type_))


def _checked(source: Sql, type_: m.Int) -> Sql:
    """A number of any size, or a text; what does not fit is an error."""
    text = f"Value out of range of {type_}"
    wrong = raised("VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE", reason=string(text))
    within = Sql(
        f"if(CAST(:0 AS DECIMAL(38,0)) BETWEEN {type_.low} AND {type_.high}, :0, :1)",
        source,
        wrong,
    )
    return Sql("CAST(:0 AS :1)", within, type_sql(type_))


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
    if value.is_a(m.String, m.Enum, m.Uuid):
        return Value(value.sql, STRING)
    if value.is_a(m.FixedString):
        return Value(Sql("trim(TRAILING '\\u0000' FROM :0)", value.sql), STRING)
    kind = value.kind
    if isinstance(kind, m.DateTime):
        digits = "." + "S" * kind.precision if kind.precision else ""
        pattern = string(f"yyyy-MM-dd HH:mm:ss{digits}")
        return Value(Sql("date_format(:0, :1)", value.wall(), pattern), STRING)
    if isinstance(kind, m.Float):
        text = "sluice_ch_floattext(CAST(:0 AS FLOAT))" if kind.bits == 32 else _DOUBLE_TEXT
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
        held = _item_text(Value(Sql("`_t`.`value`", rank=100), kind.value))
        text = "concat('{', array_join(transform(map_entries(:0), `_t` -> :1), ','), '}')"
        return Sql(text, value.sql, Sql("concat(:0, ':', :1)", key, held))
    assert isinstance(kind, m.Tuple)  # noqa: S101 - the caller has looked
    names = kind.names or [str(n + 1) for n in range(len(kind.items))]
    parts = [
        _item_text(Value(Sql(":0.:1", value.sql, name(part), rank=100), type_))
        for part, type_ in zip(names, kind.items, strict=True)
    ]
    return Sql("concat('(', concat_ws(',', :*), ')')", *parts)


def _item_text(value: Value) -> Sql:
    text = to_string(value).sql
    if value.is_a(m.String, m.FixedString, m.Enum, m.Uuid, m.Date, m.DateTime):
        text = Sql("sluice_ch_quoted(:0)", text)
    return Sql("coalesce(:0, 'NULL')", text)


def _decimal(value: Value, type_: m.Decimal) -> Value:
    """Digits that have no room behind the point are cut off, not rounded."""
    source = value.number() if value.is_a(m.Int, m.Bool) else _cut(value.plain(), type_.scale)
    return Value(Sql("CAST(:0 AS :1)", source, type_sql(type_)), type_)


def _cut(number_: Sql, scale: int) -> Sql:
    kept = f"([.][0-9]{{{scale}}})[0-9]+$" if scale else "([.])[0-9]*$"
    new = string("$1" if scale else "")
    return Sql("regexp_replace(CAST(:0 AS STRING), :1, :2)", number_, string(kept), new)


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


def _clamped(value: Value, last: int) -> Sql:
    """A number from 0 to the last one; those before and behind are one of the two."""
    low, high = value.reach or (-1, last + 1)
    tests = [
        "WHEN :0 < 0 THEN 0" if low < 0 else "",
        f"WHEN :0 > {last} THEN {last}" if high > last else "",
    ]
    cases = " ".join(test for test in tests if test)
    return Sql(f"CASE {cases} ELSE :0 END", value.number()) if cases else value.number()


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
        return Value(Sql(days, _clamped(value, _LAST_SECOND)), DATE)
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
    if value.is_a(m.Int, m.Float, m.Decimal):
        within = _clamped(value, _LAST_SECOND)
        return Value(Sql("timestamp_seconds(CAST(:0 AS BIGINT))", within), type_)
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
    if value.is_a(m.Int) and isinstance(type_, m.Date | m.DateTime):
        made = to_date(value) if isinstance(type_, m.Date) else to_datetime(value)
        text = f"if(:0 BETWEEN 0 AND {_LAST_SECOND}, :1, NULL)"
        return Value(Sql(text, value.number(), made.sql), nullable(type_))
    if isinstance(type_, m.Decimal):
        source = _cut(source, type_.scale)
    if isinstance(type_, m.Int):
        text = (
            "if(:0 RLIKE '^[+-]?[0-9]{1,38}$' AND"
            f" try_cast(:0 AS DECIMAL(38,0)) BETWEEN {type_.low} AND {type_.high},"
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
        Value(Sql("if(:2 IS NULL, NULL, coalesce(:0, :1))", found, default, source), type_)
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
