"""Functions in Python that whoever runs Sluice lets SQL call; a process has one set of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.types import Type

PREFIX = "sluice_user_"


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function with the types of its arguments and of what it gives back; NULL is None."""

    name: str
    call: Callable[..., Any]
    takes: tuple[Type, ...]
    gives: Type

    @property
    def spark_name(self) -> str:
        """What Spark knows it by."""
        return PREFIX + self.name.lower()


_known: dict[str, UserFunction] = {}


def provide(functions: Mapping[str, UserFunction]) -> None:
    """Let these be called, by their names in capitals, and no others."""
    _known.clear()
    _known.update(functions)


def known() -> Mapping[str, UserFunction]:
    """All that may be called, by their names in capitals."""
    return _known
