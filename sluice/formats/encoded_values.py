"""Python values of the types in `types.encoded`, from what is stored and from JSON, and as text."""

from __future__ import annotations

from datetime import UTC, timedelta
from decimal import Context, Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any

from sluice.types import encoded as e
from sluice.types.nanoseconds import NanoDatetime, NanoTimedelta, nanoseconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.types import Type

    Convert = Callable[[Any], Any]
    Text = Callable[[Any], str]

_NANOS = 9
_EXACT = Context(prec=100)


def of_stored(type_: e.Encoded) -> Convert:
    """What makes a value of what is stored."""
    return _OF_STORED[type(type_)](type_)


def of_json(type_: e.Encoded) -> Convert:
    """What makes a value of what ClickHouse writes in JSON, instants as seconds since 1970."""
    return _OF_JSON[type(type_)](type_)


def text(type_: e.Encoded) -> Text:
    """What makes the text of a value, as ClickHouse reads it; instants are in UTC."""
    return _TEXTS[type(type_)](type_)


def _whole(type_: e.WideInt) -> Convert:
    zero = int.from_bytes(type_.zero_bytes)
    return lambda stored: int.from_bytes(stored) - zero


def _exact(type_: e.WideDecimal) -> Convert:
    whole = _whole(e.WideInt(256))
    return lambda stored: Decimal(whole(stored)).scaleb(-type_.scale, _EXACT)


def _instant(type_: e.FineDateTime) -> Convert:
    unit = 10 ** (_NANOS - type_.precision)
    return lambda stored: NanoDatetime.since_epoch(stored * unit)


def _duration(type_: e.Time) -> Convert:
    unit = 10 ** (_NANOS - (type_.precision or 0))
    if (type_.precision or 0) <= 6:
        return lambda stored: timedelta(microseconds=stored * unit // 1000)
    return lambda stored: NanoTimedelta.of(stored * unit)


def _instant_of_seconds(_: e.FineDateTime) -> Convert:
    return lambda text: NanoDatetime.since_epoch(int(seconds_of(text).scaleb(_NANOS, _EXACT)))


def seconds_of(text: str | float) -> Decimal:
    """Seconds since 1970 as ClickHouse writes them.

    In the last second before 1970 each digit of its fraction is as many characters before 0.
    """
    whole, _, fraction = str(text).partition(".")
    if not fraction or fraction.isdecimal():
        return Decimal(text)
    return Decimal(f"-{whole}.{''.join(str(ord('0') - ord(digit)) for digit in fraction)}")


def _duration_of_text(type_: e.Time) -> Convert:
    of = _duration(type_)

    def read(text: str) -> timedelta:
        hours, minutes, seconds = text.removeprefix("-").split(":")
        whole, _, fraction = seconds.partition(".")
        ticks = int(f"{(int(hours) * 60 + int(minutes)) * 60 + int(whole)}{fraction}")
        found: timedelta = of(-ticks if text.startswith("-") else ticks)
        return found

    return read


def _instant_text(type_: e.FineDateTime) -> Text:
    def write(value: Any) -> str:
        nanos = value.microsecond * 1000 + getattr(value, "nanosecond", 0)
        wall = value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "seconds")
        return f"{wall}.{f'{nanos:09}'[: type_.precision]}"

    return write


def _duration_text(type_: e.Time) -> Text:
    def write(value: timedelta) -> str:
        nanos = nanoseconds_of(value)
        seconds, rest = divmod(abs(nanos), 10**_NANOS)
        digits = f"{rest:09}"[: type_.precision or 0]
        clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        return f"{'-' if nanos < 0 else ''}{clock}{'.' if digits else ''}{digits}"

    return write


_OF_STORED: dict[type[Type], Callable[[Any], Convert]] = {
    e.WideInt: _whole,
    e.WideDecimal: _exact,
    e.IPv4: lambda t: IPv4Address,
    e.IPv6: lambda t: lambda stored: IPv6Address(bytes(stored)),
    e.FineDateTime: _instant,
    e.Time: _duration,
}

_OF_JSON: dict[type[Type], Callable[[Any], Convert]] = {
    e.WideInt: lambda t: int,
    e.WideDecimal: lambda t: Decimal,
    e.IPv4: lambda t: IPv4Address,
    e.IPv6: lambda t: IPv6Address,
    e.FineDateTime: _instant_of_seconds,
    e.Time: _duration_of_text,
}


_TEXTS: dict[type[Type], Callable[[Any], Text]] = {
    e.WideInt: lambda t: str,
    e.WideDecimal: lambda t: lambda value: format(value, "f"),
    e.IPv4: lambda t: str,
    e.IPv6: lambda t: str,
    e.FineDateTime: _instant_text,
    e.Time: _duration_text,
}
