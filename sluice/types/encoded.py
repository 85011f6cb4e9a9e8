"""Scalar types of ClickHouse that neither Spark nor Delta Lake has a type for.

Their values are stored encoded: as a BIGINT, or as BINARY of a fixed length. What is stored has the
order of the values and is equal where they are, so Spark compares, sorts, groups and merges it as
it is; anything else that is done with it has to know the type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sluice.types.model import Type, bare, holds
from sluice.types.quoting import quote_string


@dataclass(frozen=True, slots=True)
class Encoded(Type):
    """Base of these types. `stored` is Spark's type, which holds `length` bytes if it is BINARY."""

    stored: ClassVar[str] = "BIGINT"

    @property
    def length(self) -> int:
        """The bytes of a value that is stored as BINARY."""
        return 0

    @property
    def zero(self) -> str:
        """What is stored where no value is given, as Spark SQL."""
        return "CAST(0 AS BIGINT)" if self.stored == "BIGINT" else f"X'{self.zero_bytes.hex()}'"

    @property
    def zero_bytes(self) -> bytes:
        """The same as bytes."""
        return bytes(self.length)


@dataclass(frozen=True, slots=True)
class WideInt(Encoded):
    """An integer of 128 or 256 bits: its bytes, the highest first, a sign bit inverted."""

    stored = "BINARY"
    bits: int
    signed: bool = True

    @property
    def length(self) -> int:
        """All of its bytes."""
        return self.bits // 8

    @property
    def zero_bytes(self) -> bytes:
        """All bits are zero but the inverted one."""
        return bytes([0x80 if self.signed else 0]) + bytes(self.length - 1)

    def __str__(self) -> str:
        return f"{'' if self.signed else 'U'}Int{self.bits}"


@dataclass(frozen=True, slots=True)
class WideDecimal(Encoded):
    """A decimal of 39 to 76 digits: an Int256 of its last digit, stored as one."""

    form = "Decimal({0.precision}, {0.scale})"
    stored = "BINARY"
    precision: int
    scale: int

    @property
    def length(self) -> int:
        """Those of an Int256."""
        return 32

    @property
    def zero_bytes(self) -> bytes:
        """The zero of an Int256."""
        return WideInt(256).zero_bytes


@dataclass(frozen=True, slots=True)
class IPv4(Encoded):
    """An address: its number."""

    form = "IPv4"


@dataclass(frozen=True, slots=True)
class IPv6(Encoded):
    """An address: its 16 bytes."""

    form = "IPv6"
    stored = "BINARY"

    @property
    def length(self) -> int:
        """Those of an address."""
        return 16


@dataclass(frozen=True, slots=True)
class FineDateTime(Encoded):
    """DateTime64 of 7 to 9 digits of a second: the number of its last digit since 1970."""

    precision: int
    zone: str | None = None

    def __str__(self) -> str:
        zone = f", {quote_string(self.zone)}" if self.zone else ""
        return f"DateTime64({self.precision}{zone})"


@dataclass(frozen=True, slots=True)
class Time(Encoded):
    """A time up to 999:59:59, of either sign: a number of seconds, or of digits of a second."""

    precision: int | None = None

    def __str__(self) -> str:
        return "Time" if self.precision is None else f"Time64({self.precision})"


def is_encoded(type_: object) -> bool:
    """Whether a type is one of these, or one inside of it."""
    return holds(type_, Encoded)


def stored_alike(one: Type, other: Type) -> bool:
    """Whether what is stored of a type is what would be stored of another one.

    A BIGINT may be an address or a time, which Spark cannot tell. A time zone makes no difference.
    """
    if not is_encoded(one) and not is_encoded(other):
        return True
    one, other = bare(one), bare(other)
    if isinstance(one, FineDateTime) and isinstance(other, FineDateTime):
        return one.precision == other.precision
    return one == other


TYPES = (WideInt, WideDecimal, IPv4, IPv6, FineDateTime, Time)
