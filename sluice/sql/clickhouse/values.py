"""A lowered expression: its Spark SQL and what is known of its ClickHouse type."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sluice.sql.clickhouse.spark import Sql, string
from sluice.types import Type, bare
from sluice.types import model as m

if TYPE_CHECKING:
    import builtins


@dataclass(frozen=True, slots=True)
class Unknown(Type):
    """A type that only Spark knows."""


UNKNOWN = Unknown()
BOOL = m.Bool()
BYTE = m.Int(8, signed=False)
LONG = m.Int(64)
DOUBLE = m.Float(64)
STRING = m.String()
DATE = m.Date()
DATETIME = m.DateTime()


@dataclass(frozen=True, slots=True)
class Value:
    """`logical` values are BOOLEAN in Spark where ClickHouse has a UInt8 of 0 or 1.

    `literal` is the Python value of a constant that was written out.
    """

    sql: Sql
    type: Type = UNKNOWN
    logical: bool = False
    literal: Any = None

    @property
    def kind(self) -> Type:
        """The type without Nullable and LowCardinality."""
        return bare(self.type)

    def is_a(self, *types: builtins.type[Type]) -> bool:
        """Whether the type is known to be one of these."""
        return isinstance(self.kind, types)

    @property
    def zone(self) -> str | None:
        """The time zone of a DateTime that has one."""
        return self.kind.zone if isinstance(self.kind, m.DateTime) else None

    def plain(self) -> Sql:
        """As ClickHouse would show it: a comparison is a number."""
        return Sql("CAST(:0 AS SMALLINT)", self.sql) if self.logical else self.sql

    def number(self) -> Sql:
        """As something to calculate with: Bool counts as 0 and 1."""
        if self.logical or self.is_a(m.Bool):
            return Sql("CAST(:0 AS SMALLINT)", self.sql)
        return self.sql

    def condition(self) -> Sql:
        """As BOOLEAN."""
        return (
            self.sql if self.logical or self.is_a(m.Bool) else Sql("CAST(:0 AS BOOLEAN)", self.sql)
        )

    def wall(self, zone: str | None = None) -> Sql:
        """A DateTime as a clock in its own zone (or `zone`) shows it."""
        zone = zone or self.zone
        if not zone or self.is_a(m.Date):
            return self.sql
        return Sql("from_utc_timestamp(:0, :1)", self.sql, string(zone))

    def settled(self) -> Value:
        """The same value outside the expression it was made in: comparisons are numbers now."""
        return replace(self, sql=self.plain(), type=BYTE, logical=False) if self.logical else self


def instant(wall: Sql, zone: str | None) -> Sql:
    """The instant at which a clock in `zone` shows `wall`."""
    return Sql("to_utc_timestamp(:0, :1)", wall, string(zone)) if zone else wall
