"""A lowered expression: its Spark SQL and what is known of its ClickHouse type."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sluice.sql.core.spark import Sql, string
from sluice.sql.core.values import UNKNOWN, Unknown
from sluice.types import Type, bare
from sluice.types import model as m

if TYPE_CHECKING:
    import builtins


BOOL = m.Bool()
BYTE = m.Int(8, signed=False)
LONG = m.Int(64)
ULONG = m.Int(64, signed=False)
FLOAT = m.Float(32)
DOUBLE = m.Float(64)
STRING = m.String()
DATE = m.Date()
DATETIME = m.DateTime()


def is_known(type_: Type) -> bool:
    """Whether neither the type nor a part of it is known to Spark only."""
    return not m.holds(type_, Unknown)


@dataclass(frozen=True, slots=True)
class Value:
    """`logical` values are BOOLEAN in Spark where ClickHouse has a UInt8 of 0 or 1.

    `literal` is the Python value of a constant that was written out. `bounds` are the least and the
    greatest value of a whole number where more is known than its type; Spark has it as BIGINT.
    `parts` are the elements of a tuple that was written out.

    The type is ClickHouse's. Spark's may be any that holds the value, such as INT for a UInt8, as
    long as it calculates the same; a query's answer casts it to the one that tables store.
    """

    sql: Sql
    type: Type = UNKNOWN
    logical: bool = False
    literal: Any = None
    bounds: tuple[int, int] | None = None
    parts: tuple[Value, ...] = ()

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

    @property
    def reach(self) -> tuple[int, int] | None:
        """The least and the greatest value of a whole number, None for anything else."""
        kind = BYTE if self.is_a(m.Bool) else self.kind
        if not isinstance(kind, m.Int):
            return None
        if isinstance(self.literal, int):
            return int(self.literal), int(self.literal)
        return self.bounds or (kind.low, kind.high)

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
        return replace(self, sql=self.plain(), logical=False) if self.logical else self


def instant(wall: Sql, zone: str | None) -> Sql:
    """The instant at which a clock in `zone` shows `wall`."""
    return Sql("to_utc_timestamp(:0, :1)", wall, string(zone)) if zone else wall
