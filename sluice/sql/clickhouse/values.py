"""A lowered expression: its Spark SQL and what is known of its ClickHouse type."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sluice import errors
from sluice.sql.core import values as core
from sluice.sql.core.spark import Sql, part, string
from sluice.sql.core.values import Unknown
from sluice.types import Type
from sluice.types import model as m
from sluice.types.encoded import Encoded, FineDateTime

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


def truth(sql: Sql) -> Value:
    """0 or 1, which Spark has as BOOLEAN."""
    return Value(sql, BYTE, logical=True)


@dataclass(frozen=True, slots=True)
class Value(core.Value):
    """`logical` values are BOOLEAN in Spark where ClickHouse has a UInt8 of 0 or 1.

    `bounds` are the least and the
    greatest value of an integer where more is known than its type; Spark has it as BIGINT.
    `parts` are the elements of a tuple that was written out.

    The type is ClickHouse's. Spark's may be any that holds the value, such as INT for a UInt8, as
    long as it calculates the same; a query's answer casts it to the one that tables store.
    """

    logical: bool = False
    bounds: tuple[int, int] | None = None
    parts: tuple[Value, ...] = ()

    @property
    def zone(self) -> str | None:
        """The time zone of a DateTime that has one."""
        return self.kind.zone if isinstance(self.kind, m.DateTime | FineDateTime) else None

    @property
    def reach(self) -> tuple[int, int] | None:
        """The least and the greatest value of an integer, None for anything else."""
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
        """As BOOLEAN.

        Raises:
            SluiceError: ILLEGAL_TYPE_OF_ARGUMENT for a type that is no truth value.
        """
        if self.is_a(Encoded):
            reason = f"Illegal type of a condition: it is {self.type}"
            raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="Compare it with a constant.")
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


def fields(tuple_: Sql, kind: m.Tuple) -> tuple[Value, ...]:
    """The elements of a tuple."""
    return tuple(Value(part(tuple_, each), type_) for each, type_ in kind.struct)


def in_zone(value: Value, zone: str | None) -> Value:
    """A DateTime with the clock of another zone."""
    return Value(value.sql, m.DateTime(getattr(value.kind, "precision", None), zone))


def instant(wall: Sql, zone: str | None) -> Sql:
    """The instant at which a clock in `zone` shows `wall`."""
    return Sql("to_utc_timestamp(:0, :1)", wall, string(zone)) if zone else wall
