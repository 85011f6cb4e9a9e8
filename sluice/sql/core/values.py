"""A lowered expression, as far as the dialects agree on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sluice.types import Type, bare

if TYPE_CHECKING:
    import builtins

    from sluice.sql.core.spark import Sql


@dataclass(frozen=True, slots=True)
class Unknown(Type):
    """A type that only Spark knows."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Value:
    """Spark SQL with its type; `literal` is the Python value of a constant."""

    sql: Sql
    type: Type = UNKNOWN
    literal: Any = None

    @property
    def kind(self) -> Type:
        """The type without Nullable and LowCardinality."""
        return bare(self.type)

    def is_a(self, *types: builtins.type[Type]) -> bool:
        """Whether the type is known to be one of these."""
        return isinstance(self.kind, types)

    def plain(self) -> Sql:
        """As a column of a result, a key of GROUP BY or a key of ORDER BY."""
        return self.sql


V = TypeVar("V", bound=Value)
"""The values of a dialect."""
