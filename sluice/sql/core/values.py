"""What the values of both dialects have in common."""

from __future__ import annotations

from dataclasses import dataclass

from sluice.types import Type


@dataclass(frozen=True, slots=True)
class Unknown(Type):
    """A type that only Spark knows."""


UNKNOWN = Unknown()
