"""A text that must not be seen."""

from __future__ import annotations

from dataclasses import dataclass

HIDDEN = "[HIDDEN]"


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A password that printing, formatting and logging do not reveal."""

    _value: str

    def reveal(self) -> str:
        """The text itself, for building the settings of a client only."""
        return self._value

    def __str__(self) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return format(HIDDEN, spec)

    def __bool__(self) -> bool:
        return bool(self._value)
