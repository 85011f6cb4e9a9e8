"""Functions of IP addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.clickhouse.casts import cast, to_string, try_cast
from sluice.sql.clickhouse.functions.model import condition
from sluice.sql.clickhouse.values import Value
from sluice.sql.core.functions import of_values
from sluice.sql.core.spark import Sql
from sluice.types import encoded as e
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.sql.clickhouse.functions.model import Scalar

_NUMBER = m.Int(32, signed=False)
_ZEROS = "'(^|[.])0[0-9]'"


def _number_text(value: Value) -> Value:
    """The text of an address, or of its number."""
    return to_string(value if value.is_a(e.IPv4) else cast(value, e.IPv4()))


def _number(value: Value) -> Value:
    return Value(cast(_strict(value), e.IPv4()).sql, _NUMBER)


def _number_or_null(value: Value) -> Value:
    return Value(try_cast(_strict(value), e.IPv4(), zero=False).sql, m.Nullable(_NUMBER))


def _number_or_zero(value: Value) -> Value:
    return Value(try_cast(_strict(value), e.IPv4(), zero=True).sql, _NUMBER)


def _strict(value: Value) -> Value:
    """A text that is no address if it has zeros before a number, which toIPv4 takes."""
    if not value.is_a(m.String, m.FixedString):
        return value
    text = to_string(value).sql
    return Value(Sql(f"if(:0 RLIKE {_ZEROS}, '', :0)", text), value.type)


FUNCTIONS: dict[str, Scalar] = {
    "IPv4NumToString": of_values(_number_text, 1),
    "IPv4StringToNum": of_values(_number, 1),
    "IPv4StringToNumOrNull": of_values(_number_or_null, 1, derives=False),
    "IPv4StringToNumOrDefault": of_values(_number_or_zero, 1),
    "IPv4ToIPv6": of_values(lambda value: cast(value, e.IPv6()), 1),
    "IPv6NumToString": of_values(to_string, 1),
    "isIPv4String": condition(
        f"sluice_ch_encodedlong(:0, 'IPv4') IS NOT NULL AND NOT :0 RLIKE {_ZEROS}"
    ),
    "isIPv6String": condition(
        "sluice_ch_encodedbytes(:0, 'IPv6') IS NOT NULL AND NOT :0 RLIKE '^[0-9.]*$'"
    ),
}
