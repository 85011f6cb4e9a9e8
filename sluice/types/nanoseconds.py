"""Python's datetime and timedelta with the nanoseconds that they lack."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Self

_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class NanoDatetime(datetime):
    """A moment in UTC; `nanosecond` is what is below its microseconds, 0 to 999."""

    nanosecond: int

    @classmethod
    def since_epoch(cls, nanoseconds: int) -> Self:
        """The moment so many nanoseconds after 1970."""
        micros, rest = divmod(nanoseconds, 1000)
        plain = _EPOCH + timedelta(microseconds=micros)
        made = cls.combine(plain.date(), plain.time(), UTC)
        made.nanosecond = rest
        return made

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self.nanosecond == getattr(other, "nanosecond", 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = datetime.__hash__


class NanoTimedelta(timedelta):
    """A duration; `nanosecond` is what is below its microseconds, 0 to 999."""

    nanosecond: int

    @classmethod
    def of(cls, nanoseconds: int) -> Self:
        """So many nanoseconds."""
        micros, rest = divmod(nanoseconds, 1000)
        made = cls(microseconds=micros)
        made.nanosecond = rest
        return made

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self.nanosecond == getattr(other, "nanosecond", 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = timedelta.__hash__


def nanoseconds_of(value: timedelta) -> int:
    """A duration as nanoseconds."""
    micros = value // timedelta(microseconds=1)
    return micros * 1000 + getattr(value, "nanosecond", 0)
