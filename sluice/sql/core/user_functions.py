"""Functions in Python that the operator lets SQL call; each engine has its own."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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


_current: ContextVar[Mapping[str, UserFunction]] = ContextVar("functions")


@contextmanager
def using(functions: Mapping[str, UserFunction]) -> Iterator[None]:
    """Let statements of this thread call these, by their names in capitals, and no others."""
    token = _current.set(functions)
    try:
        yield
    finally:
        _current.reset(token)


def known() -> Mapping[str, UserFunction]:
    """All that this thread's statement may call, by their names in capitals."""
    return _current.get({})
