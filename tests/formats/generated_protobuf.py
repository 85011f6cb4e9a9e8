"""Schemas of Protobuf that are generated, with rows, for us and for google.protobuf.

A schema is made once, as fields; its text is for our parser, its descriptor for google.protobuf.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROTO2, PROTO3 = "proto2", "proto3"
PLAIN, OPTIONAL, REQUIRED, REPEATED, MAP = "plain", "optional", "required", "repeated", "map"


def integers(bits: int, *, signed: bool) -> st.SearchStrategy[int]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.one_of(st.integers(low, high), st.sampled_from((0, 1, low, high)))


def floats(width: int) -> st.SearchStrategy[float]:
    """Without the zero that has a sign: proto3 has it written, ClickHouse has not."""
    return st.one_of(st.floats(width=width, allow_nan=False), st.just(math.nan)).map(  # type: ignore[arg-type]
        lambda value: value + 0.0
    )


@dataclass(frozen=True)
class Scalar:
    """A type of a field that is no message."""

    name: str
    column: str
    values: st.SearchStrategy[Any]
    packed: str = ""
    """The value in RowBinary, as `struct` has it; texts have their length first."""

    def binary(self, value: Any) -> bytes:
        if self.packed:
            return struct.pack(f"<{self.packed}", value)
        data = value if isinstance(value, bytes) else value.encode()
        return varint(len(data)) + data


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


_WHOLE = {
    ("Int32", 32, "i"): ("int32", "sint32", "sfixed32"),
    ("Int64", 64, "q"): ("int64", "sint64", "sfixed64"),
    ("UInt32", 32, "I"): ("uint32", "fixed32"),
    ("UInt64", 64, "Q"): ("uint64", "fixed64"),
}
KEYS = [
    *(
        Scalar(name, column, integers(bits, signed=column[0] == "I"), packed)
        for (column, bits, packed), names in _WHOLE.items()
        for name in names
    ),
    Scalar("bool", "Bool", st.booleans(), "?"),
    Scalar("string", "String", st.text(max_size=5)),
]
"""What the key of a map may be."""

SCALARS = [
    *KEYS,
    Scalar("float", "Float32", floats(32), "f"),
    Scalar("double", "Float64", floats(64), "d"),
    Scalar("bytes", "String", st.binary(max_size=300)),
]


@dataclass(frozen=True)
class Enum:
    """An enum with names of its own."""

    name: str
    numbers: tuple[int, ...]
    packed = "h"

    def constant(self, number: int) -> str:
        return f"{self.name}_{str(number).replace('-', 'M')}"

    @property
    def column(self) -> str:
        names = (f"'{self.constant(each)}' = {each}" for each in self.numbers)
        return f"Enum16({', '.join(names)})"

    @property
    def values(self) -> st.SearchStrategy[int]:
        return st.sampled_from(self.numbers)

    def binary(self, value: int) -> bytes:
        return struct.pack("<h", value)


@dataclass(frozen=True)
class Field:
    """A field: how often it comes, and what it is."""

    name: str
    number: int
    label: str
    type: Scalar | Enum | Message
    key: Scalar | None = None
    packed: bool | None = None
    oneof: str = ""
    group: bool = False

    @property
    def nullable(self) -> bool:
        """Whether a column tells that it is missing."""
        return self.label == OPTIONAL and not isinstance(self.type, Message)

    @property
    def column(self) -> str:
        """The type of its column."""
        inner = self.type.column
        if self.label == MAP:
            assert self.key is not None
            return f"Map({self.key.column}, {inner})"
        return {REPEATED: f"Array({inner})"}.get(
            self.label, f"Nullable({inner})" if self.nullable else inner
        )

    @property
    def values(self) -> st.SearchStrategy[Any]:
        inner = self.type.values
        if self.label == REPEATED:
            return st.lists(inner, max_size=3)
        if self.label == MAP:
            assert self.key is not None
            pairs = st.dictionaries(self.key.values, inner, max_size=3)
            return pairs.map(lambda made: dict(sorted(made.items())))
        return st.one_of(st.none(), inner) if self.nullable else inner

    def binary(self, value: Any) -> bytes:
        """The column's value in RowBinary."""
        if self.label == REPEATED:
            return varint(len(value)) + b"".join(map(self.type.binary, value))
        if self.label == MAP:
            assert self.key is not None
            pairs = (self.key.binary(k) + self.type.binary(v) for k, v in value.items())
            return varint(len(value)) + b"".join(pairs)
        if self.nullable:
            return b"\1" if value is None else b"\0" + self.type.binary(value)
        return self.type.binary(value)

    def fill(self, record: Any, value: Any) -> None:
        """Set it in a message of Google's, if there is something."""
        if self.label == REPEATED:
            for each in value:
                if isinstance(self.type, Message):
                    self.type.fill(getattr(record, self.name).add(), each)
                else:
                    getattr(record, self.name).append(each)
        elif self.label == MAP:
            for key, each in value.items():
                if isinstance(self.type, Message):
                    self.type.fill(getattr(record, self.name)[key], each)
                else:
                    getattr(record, self.name)[key] = each
        elif isinstance(self.type, Message):
            getattr(record, self.name).SetInParent()
            self.type.fill(getattr(record, self.name), value)
        elif value is not None:
            setattr(record, self.name, value)

    def found(self, record: Any) -> Any:
        """What a message of Google's has."""
        value = getattr(record, self.name)
        of = self.type.found if isinstance(self.type, Message) else lambda each: each
        if self.label == REPEATED:
            return [of(each) for each in value]
        if self.label == MAP:
            return {key: of(value[key]) for key in sorted(value)}
        return None if self.nullable and not record.HasField(self.name) else of(value)


@dataclass(frozen=True)
class Message:
    """A message with the types that are declared in it."""

    name: str
    fields: tuple[Field, ...]
    syntax: str

    @property
    def column(self) -> str:
        return f"Tuple({', '.join(f'{each.name} {each.column}' for each in self.fields)})"

    @property
    def columns(self) -> str:
        return ", ".join(f"{each.name} {each.column}" for each in self.fields)

    @cached_property
    def values(self) -> st.SearchStrategy[tuple[Any, ...]]:
        return st.tuples(*(each.values for each in self.fields)).map(self._one_of_each)

    def _one_of_each(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """With one field of a oneof at most."""
        taken: set[str] = set()
        found = []
        for each, value in zip(self.fields, row, strict=True):
            found.append(None if each.oneof in taken else value)
            if each.oneof and value is not None:
                taken.add(each.oneof)
        return tuple(found)

    def binary(self, row: Sequence[Any]) -> bytes:
        """A row in RowBinary."""
        return b"".join(each.binary(value) for each, value in zip(self.fields, row, strict=True))

    def fill(self, record: Any, row: Sequence[Any]) -> None:
        for each, value in zip(self.fields, row, strict=True):
            each.fill(record, value)

    def found(self, record: Any) -> tuple[Any, ...]:
        return tuple(each.found(record) for each in self.fields)

    def text(self) -> str:
        """The file of its schema."""
        return f'syntax = "{self.syntax}";\n' + "\n".join(self._lines("message"))

    def _lines(self, word: str) -> Iterator[str]:
        yield f"{word} {self.name} {{"
        yield from self._body()
        yield "}"

    def _body(self) -> Iterator[str]:
        for each in self.fields:
            if isinstance(each.type, Enum):
                numbers = sorted(each.type.numbers, key=abs)
                lines = (f"{each.type.constant(number)} = {number};" for number in numbers)
                yield f"enum {each.type.name} {{ {' '.join(lines)} }}"
            elif isinstance(each.type, Message) and not each.group:
                yield from each.type._lines("message")
        opened = ""
        for each in self.fields:
            if opened != each.oneof:
                yield "}" if opened else f"oneof {each.oneof} {{"
                opened = each.oneof
            yield from self._field(each)
        if opened:
            yield "}"

    def _field(self, each: Field) -> Iterator[str]:
        label = each.label if not each.oneof and each.label != PLAIN else ""
        options = "" if each.packed is None else f" [packed = {str(each.packed).lower()}]"
        if each.group:
            assert isinstance(each.type, Message)
            yield f"{label} group {each.type.name} = {each.number} {{"
            yield from each.type._body()
            yield "}"
        elif each.key is not None:
            yield f"map<{each.key.name}, {each.type.name}> {each.name} = {each.number};"
        else:
            yield f"{label} {each.type.name} {each.name} = {each.number}{options};"

    def made(self) -> Any:
        """The class that Google's code makes of it."""
        file = descriptor_pb2.FileDescriptorProto(name="m.proto", syntax=self.syntax)
        self._describe(file.message_type.add(), "")
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(self.name))

    def _describe(self, into: Any, scope: str) -> None:
        into.name = self.name
        full = f"{scope}.{self.name}"
        oneofs = list(dict.fromkeys(each.oneof for each in self.fields if each.oneof))
        for name in oneofs:
            into.oneof_decl.add(name=name)
        for each in self.fields:
            made = into.field.add(name=each.name, number=each.number)
            made.label = {REPEATED: 3, MAP: 3, REQUIRED: 2}.get(each.label, 1)
            if each.key is not None:
                entry = into.nested_type.add(name=f"{each.name.title()}Entry")
                entry.options.map_entry = True
                _typed(entry.field.add(name="key", number=1, label=1), each.key, full, False)
                value = entry.field.add(name="value", number=2, label=1)
                _declare(each.type, into, full)
                _typed(value, each.type, full, False)
                made.type, made.type_name = 11, f"{full}.{entry.name}"
                continue
            _declare(each.type, into, full)
            _typed(made, each.type, full, each.group)
            if each.packed is not None:
                made.options.packed = each.packed
            if each.oneof:
                made.oneof_index = oneofs.index(each.oneof)
        for made, each in zip(into.field, self.fields, strict=True):
            if each.label == OPTIONAL and not each.oneof and self.syntax == PROTO3:
                made.proto3_optional = True
                made.oneof_index = len(into.oneof_decl)
                into.oneof_decl.add(name=f"_{each.name}")


def _declare(type_: Scalar | Enum | Message, into: Any, scope: str) -> None:
    if isinstance(type_, Message):
        type_._describe(into.nested_type.add(), scope)
    elif isinstance(type_, Enum):
        made = into.enum_type.add(name=type_.name)
        for number in sorted(type_.numbers, key=abs):
            made.value.add(name=type_.constant(number), number=number)


def _typed(made: Any, type_: Scalar | Enum | Message, scope: str, group: bool) -> None:
    if isinstance(type_, Scalar):
        made.type = made.Type.Value(f"TYPE_{type_.name.upper()}")
        return
    made.type = 14 if isinstance(type_, Enum) else 10 if group else 11
    made.type_name = f"{scope}.{type_.name}"


_NUMBERS = st.one_of(st.integers(1, 30), st.integers(1, 18_999), st.integers(20_000, (1 << 29) - 1))


@dataclass
class _Maker:
    """Names that no two things of a schema have."""

    syntax: str
    draw: Any
    names: Iterator[int] = field(default_factory=count)

    def message(self, name: str, depth: int) -> Message:
        many = self.draw(st.integers(1, 5 if depth else 3))
        numbers = self.draw(st.lists(_NUMBERS, min_size=many, max_size=many, unique=True))
        return Message(name, tuple(self._fields(numbers, depth)), self.syntax)

    def _fields(self, numbers: list[int], depth: int) -> Iterator[Field]:
        oneof = f"o{next(self.names)}"
        members = self.draw(st.integers(0, 2))
        for position, number in enumerate(numbers):
            if position < members:
                yield Field(f"f{next(self.names)}", number, OPTIONAL, self._scalar(), oneof=oneof)
            else:
                yield self._field(number, depth)

    def _scalar(self) -> Scalar | Enum:
        if self.draw(st.integers(0, 5)):
            found: Scalar = self.draw(st.sampled_from(SCALARS))
            return found
        numbers = self.draw(st.lists(st.integers(-300, 300), max_size=4, unique=True))
        return Enum(f"E{next(self.names)}", tuple(dict.fromkeys([0, *numbers])))

    def _field(self, number: int, depth: int) -> Field:
        own = REQUIRED if self.syntax == PROTO2 else PLAIN
        label = self.draw(st.sampled_from((own, OPTIONAL, REPEATED, MAP)))
        named = next(self.names)
        group = False
        type_: Scalar | Enum | Message
        if depth and not self.draw(st.integers(0, 2)):
            type_ = self.message(f"N{named}", depth - 1)
            group = self.syntax == PROTO2 and label != MAP and self.draw(st.booleans())
        else:
            type_ = self._scalar()
        packs = label == REPEATED and bool(getattr(type_, "packed", ""))
        return Field(
            f"n{named}" if group else f"f{named}", number, label, type_,
            key=self.draw(st.sampled_from(KEYS)) if label == MAP else None,
            packed=self.draw(st.sampled_from((None, False, True))) if packs else None, group=group,
        )  # fmt: skip


@st.composite
def schemas(draw: Any, syntax: str) -> Message:
    """A message `M` with everything in it."""
    return _Maker(syntax, draw).message("M", 2)
