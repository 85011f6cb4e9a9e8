"""Functions that convert values: `CAST`, `toInt32`, `toDateOrNull` and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse.casts import cast, converted, to_date, to_string, try_cast
from sluice.sql.clickhouse.values import (
    BOOL,
    DATE,
    DATETIME,
    DOUBLE,
    STRING,
    Value,
    in_zone,
    is_known,
)
from sluice.sql.core.functions import of_values, special
from sluice.sql.core.spark import string
from sluice.types import Type, parse_type
from sluice.types import encoded as e
from sluice.types import model as m
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.clickhouse.functions.model import Call, Scalar

WRAPS = "a value that does not fit is an error (ClickHouse wraps around)"


def type_named(call: Call, text: str) -> Type:
    """The type a user wrote, or an error with the call's place."""
    try:
        return parse_type(text)
    except errors.SluiceError as bad:
        raise bad.at(call.place) from bad


@special(1, derives=False)
def _type_name(call: Call) -> Value:
    """`toTypeName(x)`: the type, as text."""
    type_ = call.arg(0).type
    if not is_known(type_):
        raise call.wrong(reason="The type of this expression is not known before it is run")
    return Value(string(str(type_)), STRING, literal=str(type_))


@special(1, 2)
def _to_string(call: Call) -> Value:
    value = call.arg(0)
    return to_string(value if call.count == 1 else in_zone(value, call.literal(1)))


def _to_date(*, wide: bool = False, high: int = 2, any_case: bool = False) -> Scalar:
    @special(1, high, any_case=any_case)
    def build(call: Call) -> Value:
        value, zone = call.arg(0), call.option(1)
        if value.is_a(m.DateTime) and zone:
            return to_date(value, zone, wide=wide)
        return converted(value, m.Date(wide=wide))

    return build


@special(1, 2)
def _to_datetime(call: Call) -> Value:
    value = call.arg(0)
    return converted(value, m.DateTime(None, call.option(1, default=value.zone)))


@special(2, 3)
def _to_datetime64(call: Call) -> Value:
    """`toDateTime64(x, digits, [zone])`; a DateTime keeps its own zone."""
    value = call.arg(0)
    zone = call.option(2, default=value.zone)
    args = repr(call.literal(1, int)) + (f", {quote_string(zone)}" if zone else "")
    return converted(value, type_named(call, f"DateTime64({args})"))


FUNCTIONS: dict[str, Scalar] = {
    "CAST": special(2, any_case=True, derives=False, doc=WRAPS)(
        lambda call: cast(call.arg(0), type_named(call, call.literal(1)))
    ),
    "toString": _to_string,
    "toTypeName": _type_name,
    "toBool": of_values(lambda value: cast(value, BOOL), 1),
    "toFixedString": special(2)(
        lambda call: cast(call.arg(0), m.FixedString(call.literal(1, int)))
    ),
    "toDate": _to_date(),
    "toDate32": _to_date(wide=True),
    "DATE": _to_date(high=1, any_case=True),
    "toDateTime": _to_datetime,
    "toDateTime64": _to_datetime64,
}


def _nanoseconds(value: Value) -> Value:
    """A DateTime64 as nanoseconds since 1970."""
    return Value(cast(value, e.FineDateTime(9)).sql, m.Int(64))


def _family(name: str, type_: Callable[[Call], Type], takes: int = 1, doc: str = "") -> None:
    """`toT` unless it is there, `toTOrNull` and `toTOrZero` of a type, which a call may tell."""
    plain = special(takes, doc=doc)(lambda call: converted(call.arg(0), type_(call)))
    FUNCTIONS.setdefault(name, plain)
    FUNCTIONS[f"{name}OrNull"] = special(takes)(
        lambda call: try_cast(call.arg(0), type_(call), zero=False)
    )
    FUNCTIONS[f"{name}OrZero"] = special(takes)(
        lambda call: try_cast(call.arg(0), type_(call), zero=True)
    )


def _scaled(digits: int) -> Callable[[Call], Type]:
    return lambda call: m.Decimal(digits, call.literal(1, int))


def _always(type_: Type) -> Callable[[Call], Type]:
    return lambda _: type_


for _int in (m.Int(bits, signed=signed) for bits in (8, 16, 32, 64) for signed in (True, False)):
    _family(f"to{_int}", _always(_int), doc=WRAPS)
for _type in (m.Float(16), m.Float(32), DOUBLE, DATE, DATETIME, m.Uuid()):
    _family(f"to{_type}", _always(_type))
for _wide in (e.WideInt(bits, signed=signed) for bits in (128, 256) for signed in (True, False)):
    _family(f"to{_wide}", _always(_wide))
for _name, _own in (("IPv4", e.IPv4()), ("IPv6", e.IPv6()), ("Time", e.Time())):
    _family(f"to{_name}", _always(_own))
FUNCTIONS["toTime64"] = special(2)(
    lambda call: converted(call.arg(0), e.Time(call.literal(1, int)))
)
for _bits, _digits in ((32, 9), (64, 18), (128, 38)):
    _family(f"toDecimal{_bits}", _scaled(_digits), takes=2)
_family("toDecimal256", lambda call: e.WideDecimal(76, call.literal(1, int)), takes=2)
FUNCTIONS["toUnixTimestamp64Nano"] = special(1)(lambda call: _nanoseconds(call.arg(0)))
FUNCTIONS["fromUnixTimestamp64Nano"] = special(1, 2)(
    lambda call: Value(call.arg(0).number(), e.FineDateTime(9, call.option(1)))
)
