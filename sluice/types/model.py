"""The data types of columns, the same for every dialect.

A type is plain data. How its text is read (`types.text`), what Spark stores for it (`types.spark`)
and how a message's bytes become it (`formats`) are tables over these classes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import ClassVar

from sluice.types.quoting import quote_name, quote_string


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types; `str` writes one so that `parse_type` reads the same one.

    `form` is that text for types whose text only fills in their fields.
    """

    form: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.form.format(self)


@dataclass(frozen=True, slots=True)
class Int(Type):
    """An integer of 8, 16, 32 or 64 bits."""

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

    def __str__(self) -> str:
        return f"{'' if self.signed else 'U'}Int{self.bits}"


@dataclass(frozen=True, slots=True)
class Float(Type):
    """A floating point number of 32 or 64 bits; one of 16 is the upper half of one of 32."""

    bits: int

    def __str__(self) -> str:
        return f"{'B' if self.bits == 16 else ''}Float{self.bits}"


@dataclass(frozen=True, slots=True)
class Decimal(Type):
    """A decimal number with `scale` fractional digits."""

    form = "Decimal({0.precision}, {0.scale})"
    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Bool(Type):
    """True or false."""

    form = "Bool"


@dataclass(frozen=True, slots=True)
class String(Type):
    """Text (or bytes) of any length."""

    form = "String"


@dataclass(frozen=True, slots=True)
class FixedString(Type):
    """Exactly `length` bytes, filled up with NUL."""

    form = "FixedString({0.length})"
    length: int


@dataclass(frozen=True, slots=True)
class Uuid(Type):
    """A UUID, kept as its lower-case text."""

    form = "UUID"


@dataclass(frozen=True, slots=True)
class Date(Type):
    """A day. `wide` is ClickHouse's Date32."""

    wide: bool = False

    def __str__(self) -> str:
        return "Date32" if self.wide else "Date"


@dataclass(frozen=True, slots=True)
class DateTime(Type):
    """An instant with `precision` digits of a second; `zone` is how it is read and shown."""

    precision: int | None = None
    zone: str | None = None

    def __str__(self) -> str:
        zone = quote_string(self.zone) if self.zone else ""
        if self.precision is None:
            return f"DateTime({zone})" if zone else "DateTime"
        return f"DateTime64({self.precision}, {zone})" if zone else f"DateTime64({self.precision})"


@dataclass(frozen=True, slots=True)
class LocalDateTime(Type):
    """What a clock and a calendar show, in no zone: Flink's TIMESTAMP."""

    form = "LocalDateTime({0.precision})"
    precision: int = 6


@dataclass(frozen=True, slots=True)
class TimeOfDay(Type):
    """What a clock shows, with `precision` digits of a second: Flink's TIME."""

    form = "TimeOfDay({0.precision})"
    precision: int = 0


@dataclass(frozen=True, slots=True)
class Interval(Type):
    """An interval; `fields` are its units, such as `DAY TO SECOND(3)`."""

    fields: str

    def __str__(self) -> str:
        return f"Interval({quote_string(self.fields)})"


@dataclass(frozen=True, slots=True)
class Text(Type):
    """Text of at most `length` letters (Flink's VARCHAR), or `fixed` to exactly as many (CHAR).

    The length is kept and shown; as in Flink's default, no value is cut or refused for it.
    """

    length: int
    fixed: bool = False

    def __str__(self) -> str:
        return f"{'Fixed' if self.fixed else 'Bounded'}Text({self.length})"


@dataclass(frozen=True, slots=True)
class Bytes(Type):
    """Bytes that are no text: any number, at most `length`, or `fixed` to exactly as many."""

    length: int | None = None
    fixed: bool = False

    def __str__(self) -> str:
        if self.length is None:
            return "Bytes"
        return f"{'Fixed' if self.fixed else 'Bounded'}Bytes({self.length})"


@dataclass(frozen=True, slots=True)
class Enum(Type):
    """One of a fixed set of names, each with a number; sorted by number."""

    bits: int
    values: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        values = (f"{quote_string(name)} = {number}" for name, number in self.values)
        return f"Enum{self.bits}({', '.join(values)})"


@dataclass(frozen=True, slots=True)
class Array(Type):
    """A list of items of one type; `alias` is the name of such a type that has one of its own."""

    item: Type
    alias: str = ""

    def __str__(self) -> str:
        return self.alias or f"Array({self.item})"


@dataclass(frozen=True, slots=True)
class Map(Type):
    """Keys with values."""

    form = "Map({0.key}, {0.value})"
    key: Type
    value: Type


@dataclass(frozen=True, slots=True)
class Multiset(Type):
    """A multiset: items of one type, each with its count."""

    form = "Multiset({0.item})"
    item: Type


@dataclass(frozen=True, slots=True)
class Tuple(Type):
    """Several values together, named or not; `alias` is as that of an Array."""

    items: tuple[Type, ...]
    names: tuple[str, ...] | None = None
    alias: str = ""

    @property
    def struct(self) -> tuple[tuple[str, Type], ...]:
        """The fields of Spark's STRUCT; elements without names are numbered from 1."""
        names = self.names or map(str, range(1, len(self.items) + 1))
        return tuple(zip(names, self.items, strict=True))

    @property
    def elements(self) -> str:
        """The elements as they are written, with their names."""
        names = [f"{plain_or_quoted(n)} " for n in self.names or ()] or [""] * len(self.items)
        return ", ".join(f"{n}{i}" for n, i in zip(names, self.items, strict=True))

    def __str__(self) -> str:
        return self.alias or f"Tuple({self.elements})"


@dataclass(frozen=True, slots=True)
class Nullable(Type):
    """`item`, or NULL."""

    item: Type

    def __str__(self) -> str:
        word = "Optional" if isinstance(self.item, Array | Map | Tuple | Multiset) else "Nullable"
        return f"{word}({self.item})"


@dataclass(frozen=True, slots=True)
class LowCardinality(Type):
    """`item`; a hint to ClickHouse's storage that is stored and has no effect here."""

    form = "LowCardinality({0.item})"
    item: Type


@dataclass(frozen=True, slots=True)
class AggregateState(Type):
    """What an aggregate function keeps of the rows it has seen; see `types.states`."""

    function: str
    params: tuple[float, ...]
    args: tuple[Type, ...]

    def __str__(self) -> str:
        params = f"({', '.join(map(str, self.params))})" if self.params else ""
        return f"AggregateFunction({', '.join([self.function + params, *map(str, self.args)])})"


@dataclass(frozen=True, slots=True)
class SimpleAggregate(Type):
    """`item`; two of them become one by an aggregate function where rows are merged."""

    form = "SimpleAggregateFunction({0.function}, {0.item})"
    function: str
    item: Type


@dataclass(frozen=True, slots=True)
class Nothing(Type):
    """No value at all: the type of a NULL that is written out."""

    form = "Nothing"


@dataclass(frozen=True, slots=True)
class Inferred(Type):
    """The type of a computed column that was written without one."""

    form = "Inferred"


def bare(type_: Type) -> Type:
    """The type without LowCardinality, SimpleAggregateFunction and Nullable around it."""
    while isinstance(type_, LowCardinality | Nullable | SimpleAggregate):
        type_ = type_.item
    return type_


def holds(type_: object, kind: type[Type] | tuple[type[Type], ...]) -> bool:
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


def plain_or_quoted(name: str) -> str:
    """A name inside of a type."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else quote_name(name)
