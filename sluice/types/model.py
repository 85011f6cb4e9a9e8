"""The data types of Sluice's columns, the same for every dialect.

A type is plain data. How it is spelled (`types.text`), what Spark stores for it (`types.spark`)
and how a message's bytes become it (`formats`) are tables over these classes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types."""

    def __str__(self) -> str:
        from sluice.types.text import format_type

        return format_type(self)


@dataclass(frozen=True, slots=True)
class Int(Type):
    """A whole number of 8, 16, 32 or 64 bits."""

    bits: int
    signed: bool = True

    @property
    def low(self) -> int:
        """The smallest value."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest value."""
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1


@dataclass(frozen=True, slots=True)
class Float(Type):
    """A floating point number of 32 or 64 bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class Decimal(Type):
    """An exact number with `scale` digits behind the point."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Bool(Type):
    """True or false."""


@dataclass(frozen=True, slots=True)
class String(Type):
    """Text (or bytes) of any length."""


@dataclass(frozen=True, slots=True)
class FixedString(Type):
    """Exactly `length` bytes, filled up with NUL."""

    length: int


@dataclass(frozen=True, slots=True)
class Uuid(Type):
    """A UUID, kept as its lower-case text."""


@dataclass(frozen=True, slots=True)
class Date(Type):
    """A day. `wide` is ClickHouse's Date32."""

    wide: bool = False


@dataclass(frozen=True, slots=True)
class DateTime(Type):
    """An instant with `precision` digits of a second; `zone` is how it is read and shown."""

    precision: int | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class LocalDateTime(Type):
    """What a clock and a calendar show, in no zone: Flink's TIMESTAMP."""

    precision: int = 6


@dataclass(frozen=True, slots=True)
class TimeOfDay(Type):
    """What a clock shows, with `precision` digits of a second: Flink's TIME."""

    precision: int = 0


@dataclass(frozen=True, slots=True)
class Interval(Type):
    """A length of time; `fields` are the words behind INTERVAL, such as `DAY TO SECOND(3)`."""

    fields: str


@dataclass(frozen=True, slots=True)
class Text(Type):
    """Text of at most `length` letters (Flink's VARCHAR), or `fixed` to exactly as many (CHAR).

    The length is kept and shown; as in Flink's default, no value is cut or refused for it.
    """

    length: int
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Bytes(Type):
    """Bytes that are no text: any number, at most `length`, or `fixed` to exactly as many."""

    length: int | None = None
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Enum(Type):
    """One of a fixed set of names, each with a number; sorted by number."""

    bits: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Array(Type):
    """A list of items of one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class Map(Type):
    """Keys with values."""

    key: Type
    value: Type


@dataclass(frozen=True, slots=True)
class Multiset(Type):
    """Items of one type, each with how often it is there."""

    item: Type


@dataclass(frozen=True, slots=True)
class Tuple(Type):
    """Several values together, named or not."""

    items: tuple[Type, ...]
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Nullable(Type):
    """`item`, or NULL."""

    item: Type


@dataclass(frozen=True, slots=True)
class LowCardinality(Type):
    """`item`; a hint to ClickHouse's storage that is kept and otherwise means nothing here."""

    item: Type


@dataclass(frozen=True, slots=True)
class AggregateState(Type):
    """What an aggregate function keeps of the rows it has seen; see `types.states`."""

    function: str
    params: tuple[float, ...]
    args: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class SimpleAggregate(Type):
    """`item`; two of them become one by an aggregate function where rows are merged."""

    function: str
    item: Type


@dataclass(frozen=True, slots=True)
class Nothing(Type):
    """No value at all: the type of a NULL that is written out."""


@dataclass(frozen=True, slots=True)
class Inferred(Type):
    """The type of a computed column that was written without one."""


def bare(type_: Type) -> Type:
    """The type without LowCardinality, SimpleAggregateFunction and Nullable around it."""
    while isinstance(type_, LowCardinality | Nullable | SimpleAggregate):
        type_ = type_.item
    return type_


def holds(type_: object, kind: type[Type]) -> bool:
    """Whether a type, or one inside of it, is of a kind."""
    if isinstance(type_, tuple):
        return any(holds(part, kind) for part in type_)
    if not isinstance(type_, Type):
        return False
    parts = (getattr(type_, each.name) for each in fields(type_))
    return isinstance(type_, kind) or any(holds(part, kind) for part in parts)


def is_nullable(type_: Type) -> bool:
    """Whether a value of this type may be NULL."""
    while isinstance(type_, LowCardinality | SimpleAggregate):
        type_ = type_.item
    return isinstance(type_, Nullable)
