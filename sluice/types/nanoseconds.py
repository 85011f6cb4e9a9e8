"""Python's datetime and timedelta with the nanoseconds that they lack."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Self

_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Finer:
    """A value of microseconds; `nanosecond` is what is below these, 0 to 999."""

    nanosecond: int

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self.nanosecond == getattr(other, "nanosecond", 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()


class NanoDatetime(_Finer, datetime):
    """A moment in UTC."""

    @classmethod
    def since_epoch(cls, nanoseconds: int) -> Self:
        """The moment so many nanoseconds after 1970."""
        micros, rest = divmod(nanoseconds, 1000)
        plain = _EPOCH + timedelta(microseconds=micros)
        made = cls.combine(plain.date(), plain.time(), UTC)
        made.nanosecond = rest
        return made


class NanoTimedelta(_Finer, timedelta):
    """A duration."""

    @classmethod
    def of(cls, nanoseconds: int) -> Self:
        """So many nanoseconds."""
        micros, rest = divmod(nanoseconds, 1000)
        made = cls(microseconds=micros)
        made.nanosecond = rest
        return made


def nanoseconds_of(value: timedelta) -> int:
    """A duration as nanoseconds."""
    micros = value // timedelta(microseconds=1)
    return micros * 1000 + getattr(value, "nanosecond", 0)
